import Database from 'better-sqlite3'
import { resolve } from 'node:path'

import { CLEAR_EVENT_TYPE } from '../clear-marker.ts'
import { A2Error, storeClosed } from '../errors.ts'
import { checkEvents } from '../event-batch.ts'
import { makeEventId } from '../event-id.ts'
import { pause, pollingStream } from '../polling-stream.ts'
import { makeStorable } from '../storable.ts'
import type { Store, StoredEvent, StoreOptions, StreamOptions } from '../store.ts'
import { bindAttempts } from './attempts.ts'
import { bindClaims } from './claims.ts'
import { bindClear } from './clear.ts'
import { makeContext, type SqliteContext } from './context.ts'
import { bindEvents, type Events } from './events.ts'
import { bindPresence } from './presence.ts'
import { bindRedrive } from './redrive.ts'
import { eventColumns } from './rows.ts'
import { findOptionalColumns, openStoreFile } from './schema.ts'
import { bindSessionLog } from './session-log.ts'
import { bindSnapshotReads, bindSnapshotWrites } from './snapshots.ts'

export interface SqliteStoreOptions extends StoreOptions {
  /** The database file; it and its folder are created when missing. Default `.a2/dev.db`. */
  readonly path?: string
}

export interface SqliteStore extends Store {
  /** Whole rows, where other stores give the plain fields. */
  stream(sessionId: string, options?: StreamOptions): AsyncIterable<StoredEvent>
}

const STREAM_PAGE = 500

/** A store in one SQLite file. Throws A2Error `STORE_UNAVAILABLE` when the file cannot be opened. */
export function sqlite(options: SqliteStoreOptions = {}): SqliteStore {
  const path = resolve(options.path ?? '.a2/dev.db')
  const database = guarded(() => openStoreFile(path))
  const columns = guarded(() => findOptionalColumns(database))
  const context = makeContext(database, {
    clock: options.clock ?? { now: () => new Date() },
    generateId: options.generateId ?? (() => makeEventId()),
    clearEventType: CLEAR_EVENT_TYPE,
    hasClearsTable: () => true,
  })
  const log = bindSessionLog(context)
  const events = bindEvents(context, log, eventColumns(columns))
  const claims = bindClaims(context, log, eventColumns(columns))
  const attempts = bindAttempts(context, log, events, columns)
  const readState = bindSnapshotReads(context, log, events)
  const putSnapshots = bindSnapshotWrites(context, log)
  const { clear, reclaim } = bindClear(context, log)
  const redrive = bindRedrive(context, log)
  const presence = bindPresence(context)
  const storable = makeStorable({ hasNul: true, hasLoneSurrogatesInJson: true })
  const closing = new AbortController()

  const ask = <T>(run: () => T): T => {
    if (closing.signal.aborted) throw storeClosed()
    return guarded(run)
  }
  const write = <T>(run: () => T): T => ask(() => context.write(run))
  const session = (sessionId: string): string => storable.text('the session id', sessionId)

  return {
    async append(sessionId, batch, { originIndex } = {}) {
      session(sessionId)
      if (batch.length === 0) {
        const pending = ask(() =>
          context.snapshot(() => log.hasPending(sessionId, log.clearIndexOf(sessionId))),
        )
        return { events: [], hasPending: pending }
      }
      const checked = checkEvents(storable, batch)
      return write(() => events.append(sessionId, checked, originIndex))
    },
    async read(sessionId, { afterIndex = 0, throughIndex = Number.MAX_SAFE_INTEGER } = {}) {
      session(sessionId)
      return ask(() =>
        events.read(sessionId, { after: afterIndex, through: throughIndex, limit: -1 }),
      )
    },
    async claimPending(request) {
      session(request.sessionId)
      storable.text('the holder', request.holder)
      return write(() => claims.claimPending(request))
    },
    async renew(request) {
      session(request.sessionId)
      storable.text('the holder', request.holder)
      return write(() => claims.renew(request))
    },
    async completeAttempt(request) {
      session(request.sessionId)
      const checked = checkEvents(storable, request.events)
      return write(() => attempts.completeAttempt({ ...request, events: checked }))
    },
    async failAttempt(request) {
      session(request.sessionId)
      storable.text(`the error of event ${request.index}`, request.error)
      return write(() => attempts.failAttempt(request))
    },
    async deadLetters(sessionId) {
      session(sessionId)
      return ask(() => events.deadLetters(sessionId))
    },
    async redrive(request) {
      session(request.sessionId)
      return write(() => redrive(request))
    },
    async readState(sessionId, reducer, bounds) {
      session(sessionId)
      storable.text('the reducer name', reducer)
      return ask(() => context.snapshot(() => readState(sessionId, reducer, bounds)))
    },
    async readStates(reducer, reads) {
      storable.text('the reducer name', reducer)
      for (const read of reads) session(read.sessionId)
      return ask(() =>
        context.snapshot(() => reads.map((read) => readState(read.sessionId, reducer, read))),
      )
    },
    async putSnapshots(sessionId, reducer, writes) {
      session(sessionId)
      storable.text('the reducer name', reducer)
      const checked = writes.map((one) => ({
        ...one,
        json: storable.json(`the state of '${reducer}' at ${one.index}`, one.state),
      }))
      if (checked.length > 0) write(() => putSnapshots(sessionId, reducer, checked))
    },
    stream(sessionId, streamOptions) {
      return streamOf(context, ask, events, closing.signal, session(sessionId), streamOptions)
    },
    async setPresence(one) {
      storable.text('the namespace', one.ns)
      storable.text('the participant', one.participant)
      const json = storable.json(`the presence of '${one.participant}'`, one.data)
      write(() => presence.set(one, json))
    },
    async listPresence(ns) {
      storable.text('the namespace', ns)
      return ask(() => presence.list(ns))
    },
    async removePresence(key) {
      storable.text('the namespace', key.ns)
      storable.text('the participant', key.participant)
      write(() => presence.remove(key))
    },
    async clear(request) {
      session(request.sessionId)
      return write(() => {
        const answer = clear(request)
        if (answer === 'needs-clears-table') throw new Error('a2_clears is made when a store opens')
        return answer
      })
    },
    async reclaim(sessionId) {
      session(sessionId)
      return write(() => reclaim(sessionId))
    },
    async close() {
      closing.abort()
      database.close()
    },
  }
}

/** Looks for news by the change counters of the file and of this handle; reads only when they moved. */
function streamOf(
  context: SqliteContext,
  ask: <T>(run: () => T) => T,
  events: Events,
  closed: AbortSignal,
  sessionId: string,
  { afterIndex = 0, signal, intervalMs = 20 }: StreamOptions = {},
): AsyncIterable<StoredEvent> {
  const ofOthers = context.prepare('pragma data_version')
  const ofOurs = context.prepare('select total_changes() as changes')
  const stamp = (): string =>
    JSON.stringify([ofOthers.get<unknown>() ?? null, ofOurs.get<unknown>() ?? null])
  let seen = ''
  return pollingStream(
    {
      readAfter(after) {
        return ask(() => {
          seen = stamp()
          const through = Number.MAX_SAFE_INTEGER
          return events.read(sessionId, { after, through, limit: STREAM_PAGE })
        })
      },
      async waitForNews(until) {
        do {
          await pause(intervalMs, until)
        } while (!until.aborted && ask(stamp) === seen)
      },
    },
    afterIndex,
    signal === undefined ? closed : AbortSignal.any([signal, closed]),
  )
}

/** What the driver cannot do is a `STORE_UNAVAILABLE`; everything else passes as it is. */
function guarded<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof A2Error || !isDriverError(error)) throw error
    throw new A2Error('STORE_UNAVAILABLE', `the database cannot be used: ${error.message}`, {
      cause: error,
    })
  }
}

/** File system errors come from making the folder. */
function isDriverError(error: unknown): error is Error {
  return error instanceof Database.SqliteError || (error instanceof Error && 'syscall' in error)
}
