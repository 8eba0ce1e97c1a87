import type { TroubleKind } from '../../model/database.ts'
import { makeEventId } from '../event-id.ts'
import type {
  ClearOutcome,
  ForeignClearOutcome,
  ForeignClearRequest,
  ForeignDatabase,
} from '../foreign.ts'
import { makeIdSource } from '../id-source.ts'
import type { OptionalColumns } from '../optional-columns.ts'
import type { ReclaimAnswer, RedriveAnswer, RedriveRequest, StoreOptions } from '../store.ts'
import { StoreTrouble } from '../trouble.ts'
import { bindClear, bindReclaim } from './clear.ts'
import type { Connection, Transaction } from './connection.ts'
import { eventColumns } from './rows.ts'
import { bindRedrive } from './redrive.ts'
import { clearsDefinition, nameTables, schemaLock, type Tables } from './schema.ts'
import { bindSessionLog, sessionLock } from './session-log.ts'

export interface ForeignPostgresOptions extends StoreOptions {
  /**
   * Runs once on a connection that may write. Rejects with StoreTrouble where the database refused or
   * the connection was lost; `lock_timeout` and the other limits are the connection's.
   */
  readonly write: <T>(run: (connection: Connection) => Promise<T>) => Promise<T>
  /** Where the tables are. Default: the search path of the connection. */
  readonly schema?: string
  /** The marker type of this database: learned from its markers, else `CLEAR_EVENT_TYPE`. */
  readonly clearEventType: string
}

export interface ForeignPostgres extends ForeignDatabase {
  clear(request: ForeignClearRequest): Promise<ForeignClearOutcome>
  redrive(request: RedriveRequest): Promise<RedriveAnswer>
  reclaim(sessionId: string, ifClearIndex?: number): Promise<ReclaimAnswer | 'cleared-again'>
  createClearsTable(): Promise<void>
}

/** A table or column the statements need is not there, or refuses them: another version than any we know. */
const INCOMPATIBLE: readonly TroubleKind[] = ['no-a2-tables', 'no-such-schema']

/** Binds the writes of a foreign database. Connects to nothing by itself. */
export function openForeignPostgres(options: ForeignPostgresOptions): ForeignPostgres {
  const { clearEventType, schema } = options
  const now = (): number => (options.clock?.now() ?? new Date()).getTime()
  const generateId = options.generateId ?? (() => makeEventId())
  const present = nameTables(schema)
  const withClears = bindTables(present, now)
  // A table nobody has yet reads as an empty one.
  const withoutClears = bindTables({ ...present, clears: NO_CLEARS }, now)
  const bindFor = async (tx: Transaction) => {
    const [rows] = await tx.send({
      sql: 'select to_regclass($1) is not null as has_clears',
      params: [present.clears],
    })
    return rows?.[0]?.['has_clears'] === true ? withClears : withoutClears
  }
  const run = async <T>(act: (tx: Transaction) => Promise<T>): Promise<T> => {
    try {
      return await options.write((connection) => connection.transaction(act))
    } catch (error) {
      throw explain(error)
    }
  }
  const makeTable = async (tx: Transaction): Promise<void> => {
    await tx.send(schemaLock(schema))
    if ((await bindFor(tx)) === withClears) return
    await tx.send({ sql: clearsDefinition(present.clears), params: [] })
  }

  const clearIn = async (
    tx: Transaction,
    { createClearsTable = false, ifClearIndex, ...request }: ForeignClearRequest,
    markerId: () => string,
  ): Promise<ForeignClearOutcome> => {
    // Held from here on: what is found out below stays true until the marker is written.
    await tx.send(sessionLock(request.sessionId))
    const bound = await bindFor(tx)
    if (ifClearIndex !== undefined) {
      if ((await bound.clearIndexOf(tx, request.sessionId)) > ifClearIndex) return 'cleared-again'
    }
    const context = { now, markerId, markerType: clearEventType }
    if (bound === withClears) return bound.clear(tx, request, context)
    const answer = await bound.wouldClear(tx, request)
    if (answer !== 'marker-due') return answer
    if (!createClearsTable) return 'needs-clears-table'
    await makeTable(tx)
    return withClears.clear(tx, request, context)
  }

  return {
    async clear(request) {
      const ids = makeIdSource(generateId)
      return run((tx) => clearIn(tx, request, () => ids(0)))
    },
    redrive: (request) => run(async (tx) => (await bindFor(tx)).redrive(tx, request)),
    reclaim: (sessionId, ifClearIndex) =>
      run(async (tx) => {
        const bound = await bindFor(tx)
        // Never cleared: there is nothing to give back.
        if (bound === withoutClears) return { deleted: 0, done: true }
        return bound.reclaim(tx, sessionId, ifClearIndex)
      }),
    createClearsTable: () => run(makeTable),
  }
}

/** No column is used that some known version lacks. */
const NO_OPTIONAL_COLUMNS: OptionalColumns = { hasLastError: false, hasReturnedEventIds: false }

const NO_CLEARS =
  '(select null::text as session_id, null::bigint as clear_index where false) clears'

function bindTables(tables: Tables, now: () => number) {
  const log = bindSessionLog(tables, eventColumns(NO_OPTIONAL_COLUMNS, 'event'))
  const clear = bindClear(tables, log)
  return {
    clear,
    redrive: bindRedrive(tables, log, now),
    reclaim: bindReclaim(tables),
    clearIndexOf: async (tx: Transaction, sessionId: string): Promise<number> =>
      (await log.holdSession(tx, sessionId)).clearIndex,
    /** What a clear answers without writing, or that it would write a marker. */
    wouldClear: (tx: Transaction, request: ForeignClearRequest) => wouldClear(tx, log, request),
  }
}

async function wouldClear(
  tx: Transaction,
  log: ReturnType<typeof bindSessionLog>,
  { sessionId, ifLastIndex }: ForeignClearRequest,
): Promise<ClearOutcome | 'marker-due'> {
  const { head } = await log.holdSession(tx, sessionId)
  if (ifLastIndex !== undefined && ifLastIndex !== head) {
    return { cleared: false, index: head, clearIndex: 0 }
  }
  return head === 0 ? { cleared: true, index: 0, clearIndex: 0 } : 'marker-due'
}

function explain(error: unknown): unknown {
  if (!(error instanceof StoreTrouble)) return error
  const { trouble, isOutcomeUnknown } = error
  if (!INCOMPATIBLE.includes(trouble.kind)) return error
  return new StoreTrouble({ ...trouble, kind: 'incompatible' }, { isOutcomeUnknown })
}
