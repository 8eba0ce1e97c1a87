import type { ConnectionSettings } from '../../model/connection.ts'
import { isSameAccess } from '../../model/same-access.ts'
import { hasSecrets, NO_SECRETS, over, type Secrets } from './secrets.ts'

interface Given {
  readonly settings: ConnectionSettings
  readonly secrets: Secrets
  /** Nobody is asked at the next opening. */
  readonly isForNext: boolean
}

/**
 * Secrets that came with a connection which is not saved yet, so that saving it need not ask again, and those of
 * one that was just saved, until it is opened. In memory, and for the same user, server and way only.
 */
export class GivenSecrets {
  readonly #given = new Map<string, Given>()

  /** What was given before for the same access stays where nothing new is given. */
  keep(databaseId: string, settings: ConnectionSettings, more: Secrets): void {
    this.#put(databaseId, settings, { more, isForNext: false })
  }

  /** The same, and the next opening takes them. */
  keepForNext(databaseId: string, settings: ConnectionSettings, more: Secrets): void {
    this.#put(databaseId, settings, { more, isForNext: true })
  }

  find(databaseId: string, settings: ConnectionSettings): Secrets {
    const given = this.#given.get(databaseId)
    return given !== undefined && isSameAccess(given.settings, settings)
      ? given.secrets
      : NO_SECRETS
  }

  /** For an opening that nobody gave any for. */
  findForNext(databaseId: string, settings: ConnectionSettings): Secrets {
    const isForNext = this.#given.get(databaseId)?.isForNext === true
    return isForNext ? this.find(databaseId, settings) : NO_SECRETS
  }

  drop(databaseId: string): void {
    this.#given.delete(databaseId)
  }

  #put(
    databaseId: string,
    settings: ConnectionSettings,
    { more, isForNext }: { readonly more: Secrets; readonly isForNext: boolean },
  ): void {
    const secrets = over(more, this.find(databaseId, settings))
    if (hasSecrets(secrets)) this.#given.set(databaseId, { settings, secrets, isForNext })
    else this.#given.delete(databaseId)
  }
}
