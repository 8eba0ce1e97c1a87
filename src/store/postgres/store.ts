import { type ClientConfig, Pool } from 'pg'

import { storeClosed } from '../errors.ts'
import { checkEvents } from '../event-batch.ts'
import { makeEventId } from '../event-id.ts'
import { makeIdSource } from '../id-source.ts'
import { pollingStream } from '../polling-stream.ts'
import { makeStorable } from '../storable.ts'
import type { SessionEvent, Store, StoreOptions } from '../store.ts'
import { bindClaims } from './claims.ts'
import { bindClear, bindReclaim } from './clear.ts'
import { bindCompleteAttempt } from './complete-attempt.ts'
import { type Connection, makeConnection, type Transaction } from './connection.ts'
import { bindEvents } from './events.ts'
import { bindFailAttempt } from './fail-attempt.ts'
import { makeNews, type News } from './news.ts'
import { bindPresence } from './presence.ts'
import { bindRedrive } from './redrive.ts'
import { eventColumns } from './rows.ts'
import { nameTables, prepareSchema, type Tables } from './schema.ts'
import { bindSessionLog } from './session-log.ts'
import { bindSnapshotReads, bindSnapshotWrites } from './snapshots.ts'

export type PostgresStoreOptions = StoreOptions & {
  /** The schema of the tables; it is created when missing. Default: the connection's search path. */
  readonly schema?: string
} & (
    | { readonly connectionString: string; readonly pool?: never }
    /** A pool of the caller's, which stays open when the store is closed. No session state is left in its connections. */
    | { readonly pool: Pool; readonly connectionString?: never }
  )

export interface PostgresStore extends Store {
  /** As `read`, with the plain fields only. */
  readEvents(sessionId: string, range?: Parameters<Store['read']>[1]): Promise<SessionEvent[]>
}

const STREAM_PAGE = 500
const CONNECT_TIMEOUT_MS = 10_000

/** A store in a Postgres database (14 or later). It connects, and creates what is missing, when it is first used. */
export function postgres(options: PostgresStoreOptions): PostgresStore {
  const pool = options.pool ?? openPool(options.connectionString)
  // A pool of the caller's may lead through a proxy, and is left as it was.
  const connection = makeConnection(pool, { prepares: options.pool === undefined })
  const tables = nameTables(options.schema)
  const news = makeNews(clientConfigOf(pool), connection, options.schema)
  const closing = new AbortController()
  const now = () => (options.clock?.now() ?? new Date()).getTime()
  const generateId = options.generateId ?? (() => makeEventId())
  const storable = makeStorable({ hasNul: false, hasLoneSurrogatesInJson: false })
  const session = (sessionId: string): string => storable.text('the session id', sessionId)
  const parts = makeParts(connection, tables, options.schema, now)
  const underWay = new Set<Promise<unknown>>()
  const use = <T>(run: (bound: Parts) => Promise<T>): Promise<T> => {
    if (closing.signal.aborted) return Promise.reject(storeClosed())
    const work = parts().then(run)
    underWay.add(work)
    return work.finally(() => underWay.delete(work))
  }
  const write = <T>(run: (tx: Transaction, bound: Parts) => Promise<T>): Promise<T> =>
    use((bound) => connection.transaction((tx) => run(tx, bound)))
  let closed: Promise<void> | undefined

  const readRange: PostgresStore['readEvents'] = async (sessionId, range = {}) => {
    session(sessionId)
    return use(({ events }) => events.readPlain(sessionId, toBounds(range)))
  }

  return {
    async append(sessionId, events, { originIndex } = {}) {
      session(sessionId)
      if (events.length === 0)
        return { events: [], hasPending: await use((bound) => bound.events.hasPending(sessionId)) }
      const checked = checkEvents(storable, events)
      const batch = { sessionId, events: checked, idAt: makeIdSource(generateId) }
      const answer = await use((bound) => bound.events.append(batch, originIndex))
      news.announce(sessionId)
      return answer
    },
    async read(sessionId, range = {}) {
      session(sessionId)
      return use(({ events }) => events.read(sessionId, toBounds(range)))
    },
    readEvents: readRange,
    async claimPending(request) {
      session(request.sessionId)
      storable.text('the holder', request.holder)
      return use(({ claims }) => claims.claimPending(request))
    },
    async renew(request) {
      session(request.sessionId)
      storable.text('the holder', request.holder)
      return use(({ claims }) => claims.renew(request))
    },
    async completeAttempt(request) {
      session(request.sessionId)
      const checked = { ...request, events: checkEvents(storable, request.events) }
      const answer = await use((bound) => bound.completeAttempt(checked))
      if (checked.events.length > 0) news.announce(request.sessionId)
      return answer
    },
    async failAttempt(request) {
      session(request.sessionId)
      storable.text(`the error of event ${request.index}`, request.error)
      return write((tx, bound) => bound.failAttempt(tx, request))
    },
    async deadLetters(sessionId) {
      session(sessionId)
      return use(({ events }) => events.deadLetters(sessionId))
    },
    async redrive(request) {
      session(request.sessionId)
      return write((tx, bound) => bound.redrive(tx, request))
    },
    async readState(sessionId, reducer, bounds) {
      session(sessionId)
      storable.text('the reducer name', reducer)
      const reads = [{ ...bounds, sessionId }]
      const [answer] = await use(({ readStates }) => readStates(reducer, reads))
      return answer!
    },
    async readStates(reducer, reads) {
      for (const read of reads) session(read.sessionId)
      storable.text('the reducer name', reducer)
      return use(({ readStates }) => readStates(reducer, reads))
    },
    async putSnapshots(sessionId, reducer, writes) {
      session(sessionId)
      storable.text('the reducer name', reducer)
      const checked = writes.map((one) => ({
        ...one,
        json: storable.json(`the state of '${reducer}' at ${one.index}`, one.state),
      }))
      if (checked.length === 0) return
      await write((tx, bound) => bound.putSnapshots(tx, sessionId, reducer, checked))
    },
    stream(sessionId, { afterIndex = 0, signal, intervalMs = 20 } = {}) {
      session(sessionId)
      return pollingStream(
        streamSource(news, sessionId, intervalMs, (after) =>
          use(({ events }) =>
            events.readPlain(sessionId, { after, through: null, limit: STREAM_PAGE }),
          ),
        ),
        afterIndex,
        signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]),
      )
    },
    async setPresence(one) {
      storable.text('the namespace', one.ns)
      storable.text('the participant', one.participant)
      const json = storable.json(`the presence of '${one.participant}'`, one.data)
      await use(({ presence }) => presence.set(one, json))
    },
    async listPresence(ns) {
      storable.text('the namespace', ns)
      return use(({ presence }) => presence.list(ns))
    },
    async removePresence(key) {
      storable.text('the namespace', key.ns)
      storable.text('the participant', key.participant)
      await use(({ presence }) => presence.remove(key))
    },
    async clear(request) {
      session(request.sessionId)
      const ids = makeIdSource(generateId)
      const context = { now, markerId: () => ids(0) }
      const answer = await write((tx, bound) => bound.clear(tx, request, context))
      news.announce(request.sessionId)
      return answer
    },
    async reclaim(sessionId) {
      session(sessionId)
      return write(async (tx, bound) => {
        const answer = await bound.reclaim(tx, sessionId)
        // Without an index to compare with, it is never `cleared-again`.
        return answer === 'cleared-again' ? { deleted: 0, done: false } : answer
      })
    },
    close() {
      closing.abort()
      closed ??= closeAll(news, underWay, options.pool === undefined ? pool : undefined)
      return closed
    },
  }
}

type Parts = Awaited<ReturnType<ReturnType<typeof makeParts>>>

/** The operations, bound once the tables are known to exist. A failure to find out is tried again. */
function makeParts(
  connection: Connection,
  tables: Tables,
  schema: string | undefined,
  now: () => number,
) {
  const bind = async () => {
    const has = await prepareSchema(connection, schema, tables)
    const columns = eventColumns(has, 'event')
    const log = bindSessionLog(tables, columns)
    const events = bindEvents(connection, tables, log, { now, columns })
    return {
      events,
      claims: bindClaims(connection, tables, { now, columns }),
      completeAttempt: bindCompleteAttempt(connection, tables, log, { now, has }),
      failAttempt: bindFailAttempt(tables, log, { now, has }),
      redrive: bindRedrive(tables, log, now),
      readStates: bindSnapshotReads(connection, tables),
      putSnapshots: bindSnapshotWrites(tables, now),
      presence: bindPresence(connection, tables, now),
      clear: bindClear(tables, log),
      reclaim: bindReclaim(tables),
    }
  }
  let bound: ReturnType<typeof bind> | undefined
  return () => {
    bound ??= bind().catch((error: unknown) => {
      bound = undefined
      throw error
    })
    return bound
  }
}

function streamSource(
  news: News,
  sessionId: string,
  intervalMs: number,
  readPage: (after: number) => Promise<SessionEvent[]>,
) {
  let idleRounds = 0
  let hasJoined = false
  return {
    async readAfter(after: number) {
      if (!hasJoined) news.join()
      hasJoined = true
      const events = await readPage(after)
      if (events.length > 0) idleRounds = 0
      return events
    },
    waitForNews: (signal: AbortSignal) => news.wait(sessionId, idleRounds++, intervalMs, signal),
    end() {
      if (hasJoined) news.leave()
    },
  }
}

function toBounds({ afterIndex = 0, throughIndex }: NonNullable<Parameters<Store['read']>[1]>) {
  return { after: afterIndex, through: throughIndex ?? null, limit: null }
}

function openPool(connectionString: string): Pool {
  const pool = new Pool({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    fallback_application_name: 'a2-inspector',
  })
  // An idle connection that is lost is replaced by the next use; without a listener it would end the process.
  pool.on('error', () => {})
  return pool
}

/** The password of a pool is not enumerable. */
function clientConfigOf({ options }: Pool): ClientConfig {
  return { ...options, password: options.password }
}

/** A pool that ends gives no more connections: what is under way must be over. */
async function closeAll(
  news: News,
  underWay: ReadonlySet<Promise<unknown>>,
  own: Pool | undefined,
): Promise<void> {
  await Promise.allSettled(underWay)
  await news.close()
  await own?.end()
}
