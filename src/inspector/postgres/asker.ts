import type { Row } from '../../store/postgres/connection.ts'
import type { TroubleKind } from '../../model/database.ts'
import { StoreTrouble } from '../../store/trouble.ts'
import { Meter } from '../meter.ts'
import type { Epoch } from '../epoch.ts'
import { DatabaseClock } from './clock.ts'
import { type PostgresSchema, schemaStatement, toSchema } from './schema.ts'
import type { PostgresServer } from './server.ts'

/** What a question is put together with. */
export interface PostgresScope {
  readonly schema: PostgresSchema
  readonly clock: DatabaseClock
}

/** One statement, so that all of its answer comes from one snapshot, and how its rows are read. */
export interface Question<T> {
  readonly sql: string
  readonly params: readonly unknown[]
  readonly read: (rows: readonly Row[]) => T
}

/** What is asked for a screen, for background work, or to notice changes. */
export type Role = 'interactive' | 'background' | 'tail'

const LANE_OF = {
  interactive: 'interactive',
  background: 'background',
  tail: 'interactive',
} as const

/** What a statement that was made for other tables ends with. */
const OUTDATED: readonly TroubleKind[] = ['incompatible', 'no-a2-tables', 'no-such-schema']

/** A migration of several steps can overtake a question more than once. */
const MAX_TRIES = 4

/** How long what the tables look like is taken for granted; less where a table is awaited that changes all answers. */
const KNOWN_MS = { '0.16': 1000, '0.18': 5000, unknown: 5000 }

/** Asks single statements of one database, made for what its tables look like now. */
export class Asker {
  readonly clock: DatabaseClock
  readonly server: PostgresServer
  readonly meter = new Meter()
  #schema: PostgresSchema | null = null
  #knownUntil = 0
  #detecting: Promise<PostgresSchema> | null = null
  #epoch: Epoch = { file: 0, schema: 0, reason: 'replaced' }
  #isClosed = false

  constructor(server: PostgresServer, clock?: { now(): Date }) {
    this.server = server
    this.clock = new DatabaseClock(clock)
  }

  get epoch(): Epoch {
    return this.#epoch
  }

  noteRestored(): void {
    this.#startEpoch('restored')
  }

  /** We wrote: the tables may be others. */
  noteWritten(): void {
    this.#knownUntil = 0
  }

  close(): void {
    this.#isClosed = true
  }

  /** Asked again where the tables were altered meanwhile. Throws StoreTrouble. */
  async ask<T>(
    make: (scope: PostgresScope) => Question<T>,
    role: Role = 'interactive',
  ): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      /* oxlint-disable no-await-in-loop -- each try needs what the one before found */
      const schema = await this.schema()
      try {
        return await this.#askFor(schema, make, role)
      } catch (error) {
        const isOutdated = error instanceof StoreTrouble && OUTDATED.includes(error.trouble.kind)
        if (!isOutdated || tries === MAX_TRIES) throw error
        const { signature } = await this.detect()
        // Altered there and back looks the same: only what comes a second time is a real trouble.
        if (tries > 1 && signature === schema.signature) throw error
      }
      /* oxlint-enable no-await-in-loop */
    }
  }

  /** What the tables look like, as of a moment ago. Throws StoreTrouble. */
  async schema(): Promise<PostgresSchema> {
    this.#assertOpen()
    const isKnown = performance.now() < this.#knownUntil
    return isKnown && this.#schema !== null ? this.#schema : this.detect()
  }

  /** Looks at the tables anew. Throws StoreTrouble. */
  detect(): Promise<PostgresSchema> {
    this.#detecting ??= this.#detectNow().finally(() => {
      this.#detecting = null
    })
    return this.#detecting
  }

  async #askFor<T>(
    schema: PostgresSchema,
    make: (scope: PostgresScope) => Question<T>,
    role: Role,
  ): Promise<T> {
    const { sql, params, read } = make({ schema, clock: this.clock })
    const startedAt = performance.now()
    const rows = await this.server[LANE_OF[role]].query({ sql, params })
    this.meter.rowsRead += rows.length
    if (role === 'interactive') this.meter.noteAnswer(performance.now() - startedAt)
    return read(rows)
  }

  async #detectNow(): Promise<PostgresSchema> {
    this.#assertOpen()
    const { server } = this
    const known = this.#schema
    let schema: PostgresSchema
    try {
      const rows = await server.interactive.query(schemaStatement(server.settings.schema))
      this.meter.rowsRead += rows.length
      schema = toSchema(rows, server.path)
    } catch (error) {
      // The next question looks again: the tables may be there by then.
      if (error instanceof StoreTrouble && error.trouble.kind === 'no-a2-tables')
        this.#schema = null
      throw error
    }
    this.#schema = schema
    this.#knownUntil = performance.now() + KNOWN_MS[schema.version]
    if (known !== null && known.identity !== schema.identity) this.#startEpoch('replaced')
    else if (known !== null && known.signature !== schema.signature) {
      this.#epoch = { ...this.#epoch, schema: this.#epoch.schema + 1 }
    }
    return schema
  }

  #startEpoch(reason: Epoch['reason']): void {
    this.#epoch = { file: this.#epoch.file + 1, schema: this.#epoch.schema + 1, reason }
  }

  #assertOpen(): void {
    if (!this.#isClosed) return
    throw new StoreTrouble({ kind: 'connection-lost', path: this.server.path, code: 'closed' })
  }
}
