import type { PoolClient } from 'pg'

import type { UnlockOutcome } from '../../../model/connection.ts'
import { A2Error } from '../../errors.ts'
import { StoreTrouble } from '../../trouble.ts'
import { type Connection, makeConnection } from '../connection.ts'
import { makeDeadline, within } from './deadline.ts'
import { ROLES, settingsOf, transactionSettings } from './guard.ts'
import { openClient } from './open-client.ts'
import type { OpenClient } from './opened-client.ts'
import { RIGHTS, toRights } from './server-rights.ts'
import type { Target } from './target.ts'
import { isLoss, makeTrouble, toTrouble } from './trouble.ts'

const MINUTE_MS = 60_000
const WRITE_DEADLINE_MS = 15_000
const LOOK_MS = 2_000

export interface WriteOptions {
  readonly deadlineMs?: number
}

/**
 * The one connection that may write, there only while writing is unlocked. Nothing is ever repeated: a
 * write that was cut off is told with `isOutcomeUnknown`, and has to be looked up.
 */
export class Writer {
  readonly #target: Target
  readonly #connectDeadlineMs: number
  readonly #onChange: (until: number | null) => void
  #client: OpenClient | null = null
  #until: number | null = null
  #timer: NodeJS.Timeout | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(target: Target, connectDeadlineMs: number, onChange: (until: number | null) => void) {
    this.#target = target
    this.#connectDeadlineMs = connectDeadlineMs
    this.#onChange = onChange
  }

  /** Epoch ms; null: locked. */
  get unlockedUntil(): number | null {
    return this.#until
  }

  /** How many are open now: one, or none. */
  get connections(): number {
    return this.#client?.lost() === null ? 1 : 0
  }

  /** Opens the connection and asks the server whether this role may write; again: begins the time anew. */
  unlock(minutes: number): Promise<UnlockOutcome> {
    return this.#inTurn(async () => {
      try {
        await this.#open()
      } catch (error) {
        await this.#end()
        return { outcome: 'refused', reason: toTrouble(this.#target.maker, error).trouble }
      }
      clearTimeout(this.#timer)
      const until = Date.now() + minutes * MINUTE_MS
      this.#timer = setTimeout(() => void this.lock(), minutes * MINUTE_MS).unref()
      this.#set(until)
      return { outcome: 'unlocked', until }
    })
  }

  /** No write begins after this call; the connection closes when the one under way has ended. */
  lock(): Promise<void> {
    clearTimeout(this.#timer)
    this.#set(null)
    return this.#inTurn(() => this.#end())
  }

  write<T>(
    run: (connection: Connection) => Promise<T>,
    { deadlineMs = WRITE_DEADLINE_MS }: WriteOptions = {},
  ): Promise<T> {
    return this.#inTurn(async () => {
      this.#assertUnlocked()
      const client = await this.#open().catch(async (error: unknown) => {
        if (kindOf(error) === 'standby') void this.lock()
        throw error
      })
      return this.#writeNow(client, run, deadlineMs)
    })
  }

  async #writeNow<T>(
    client: OpenClient,
    run: (connection: Connection) => Promise<T>,
    deadlineMs: number,
  ): Promise<T> {
    const { maker, settings } = this.#target
    let isCommitSent = false
    const role = client.role
    const connection = makeConnection(sourceOf(client), {
      // Behind a pooler the next transaction is another server's.
      prepares: false,
      prologue:
        client.guard === 'session'
          ? []
          : transactionSettings(role, settingsOf(role, settings.schema)),
      onCommit: () => (isCommitSent = true),
    })
    const late = makeTrouble(maker, 'timeout', 'deadline')
    try {
      return await within(makeDeadline(deadlineMs), run(connection), () => late)
    } catch (error) {
      if (error === late) client.destroy(late)
      const trouble = await this.#explain(client, error)
      if (trouble === null) throw error
      const isCut = error === late || isLoss(trouble) || client.lost() !== null
      if (isCut) client.destroy(trouble)
      if (trouble.trouble.kind === 'standby') void this.lock()
      const isOutcomeUnknown = isCommitSent && isCut
      throw new StoreTrouble(trouble.trouble, { isOutcomeUnknown })
    }
  }

  /** null: an answer of the store that has nothing to do with the connection. */
  async #explain(client: OpenClient, error: unknown): Promise<StoreTrouble | null> {
    if (error instanceof StoreTrouble) return error
    const isDatabases = error instanceof A2Error && error.code === 'STORE_UNAVAILABLE'
    if (!isDatabases || error.cause === undefined) return null
    const { maker } = this.#target
    const trouble = toTrouble(maker, error.cause, 'connection-lost')
    const isRefused = trouble.trouble.kind === 'read-only-server'
    return isRefused && (await isStandby(client))
      ? makeTrouble(maker, 'standby', trouble.trouble.code)
      : trouble
  }

  #assertUnlocked(): void {
    if (this.#until !== null && Date.now() < this.#until) return
    throw makeTrouble(this.#target.maker, 'writing-locked')
  }

  /** Rejects with `standby` or `no-right` where nothing could be written. */
  async #open(): Promise<OpenClient> {
    if (this.#client !== null && this.#client.lost() === null) return this.#client
    const { maker, settings } = this.#target
    const client = await openClient(this.#target, ROLES.writer, this.#connectDeadlineMs)
    this.#client = client
    if (client.facts().isStandby) throw makeTrouble(maker, 'standby')
    const answers = await client.send([
      { sql: 'begin', params: [] },
      ...transactionSettings(ROLES.interactive, settingsOf(ROLES.writer, settings.schema)),
      RIGHTS,
      { sql: 'commit', params: [] },
    ])
    const rights = toRights(answers.at(-2) ?? [])
    if (rights.schema === 'none') throw makeTrouble(maker, 'no-a2-tables')
    if (!rights.canWrite) throw makeTrouble(maker, 'no-right')
    return client
  }

  async #end(): Promise<void> {
    const client = this.#client
    this.#client = null
    this.#set(null)
    await client?.end()
  }

  #set(until: number | null): void {
    if (this.#until === until) return
    this.#until = until
    this.#onChange(until)
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(run, run)
    this.#last = mine.catch(() => {})
    return mine
  }
}

function kindOf(error: unknown): string | null {
  return error instanceof StoreTrouble ? error.trouble.kind : null
}

/** Asked anew: behind a pooler, the server may be another one than at the beginning. */
async function isStandby(client: OpenClient): Promise<boolean> {
  const asked = client.send([{ sql: 'select pg_is_in_recovery() as is_standby', params: [] }])
  const answer = asked.then(([rows]) => rows?.[0]?.['is_standby'] === true)
  return within(makeDeadline(LOOK_MS), answer, () => 'late').catch(() => client.facts().isStandby)
}

/** The one client in the shape of a pool's, with the extended protocol only. */
function sourceOf(open: OpenClient): Parameters<typeof makeConnection>[0] {
  const { client } = open
  const query = (config: object): Promise<unknown> => {
    const extended = { ...config, queryMode: 'extended' }
    return client.query(extended as unknown as { text: string })
  }
  const shown = {
    pipeline: true,
    query,
    on: client.on.bind(client),
    off: client.off.bind(client),
    release: (lost?: Error) => {
      if (lost) client.connection.stream.destroy()
    },
  }
  return { connect: () => Promise.resolve(shown as unknown as PoolClient) }
}
