import type { ConnectionSettings } from '../../model/connection.ts'
import { printCommand } from '../../model/print-command.ts'
import { describeConnection } from '../../model/print-connection.ts'
import type { SavedConnections } from '../saved-connections.ts'
import { ServerError } from './server-error.ts'

/** What the person is asked, in a place that the screens cannot reach. */
export interface CommandQuestion {
  readonly purpose: 'password' | 'key-passphrase'
  /** Which connection, in words; no secrets. */
  readonly connection: string
  /** The exact program and arguments, one a line. */
  readonly command: string
}

/** True: run it from now on. */
export type ConfirmCommand = (question: CommandQuestion) => Promise<boolean>

const PURPOSES = { password: 'password', keyPassphrase: 'key-passphrase' } as const

/**
 * A screen names the programs that give secrets, and a screen shows hostile data: a program that is new, changed,
 * or for another server runs only once the person said so outside of it.
 */
export class CommandGuard {
  readonly #servers: SavedConnections
  readonly #confirm: ConfirmCommand
  /** Confirmed since the start; those of the list were confirmed before they came there. */
  readonly #confirmed = new Set<string>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(servers: SavedConnections, confirm: ConfirmCommand) {
    this.#servers = servers
    this.#confirm = confirm
  }

  /** Rejects with COMMAND_NOT_CONFIRMED. */
  async assertConfirmed(settings: ConnectionSettings): Promise<void> {
    if (!this.#unknown(settings).length) return undefined
    // One question after the other: what was just confirmed is not asked again.
    const mine = this.#last.then(() => this.#assertNow(settings))
    this.#last = mine.catch(() => {})
    return mine
  }

  async #assertNow(settings: ConnectionSettings): Promise<void> {
    const connection = describeConnection(settings)
    for (const { purpose, argv, name } of this.#unknown(settings)) {
      const command = printCommand(argv)
      const isConfirmed =
        // oxlint-disable-next-line no-await-in-loop -- one question after the other
        command !== null && (await this.#confirm({ purpose, connection, command }))
      if (!isConfirmed) {
        const why = command === null ? 'too-long' : 'refused'
        throw new ServerError('COMMAND_NOT_CONFIRMED', { connection, why })
      }
      this.#confirmed.add(name)
    }
  }

  #unknown(settings: ConnectionSettings): Command[] {
    const commands = commandsOf(settings).filter(({ name }) => !this.#confirmed.has(name))
    if (commands.length === 0) return []
    const listed = this.#servers.all().flatMap((server) => commandsOf(server.settings))
    return commands.filter((command) => !listed.some(({ name }) => name === command.name))
  }
}

interface Command {
  readonly purpose: CommandQuestion['purpose']
  readonly argv: readonly string[]
  /** The command with where its answer is sent. */
  readonly name: string
}

function commandsOf(settings: ConnectionSettings): Command[] {
  const target = [describeConnection(settings), settings.hostAddress]
  return (['password', 'keyPassphrase'] as const).flatMap((key) => {
    const source = settings[key]
    if (source.from !== 'command') return []
    const { argv } = source
    return [{ purpose: PURPOSES[key], argv, name: JSON.stringify([key, argv, ...target]) }]
  })
}
