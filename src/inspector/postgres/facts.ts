import type { PostgresFacts } from '../../model/database.ts'
import type { ServerHoldings } from '../../model/footprint.ts'
import type { Capabilities } from '../reader.ts'
import { type Stored, toCount, toText } from '../sqlite-values.ts'
import type { PostgresScope, Question } from './asker.ts'
import { asRows, markerTypeSql, NOW_SQL, parseMade, toMarkerType } from './pieces.ts'
import type { PostgresSchema } from './schema.ts'

export function capabilities({ schema }: PostgresScope): Question<Capabilities> {
  return {
    sql: `select ${markerTypeSql(schema)} as marker_type`,
    params: [],
    read: ([row]) => ({
      hasRowids: false,
      hasBlocks: schema.hasBlocks,
      hasWorkIndex: schema.hasWorkIndex,
      hasEventIdIndex: schema.hasEventIdIndex,
      hasClears: schema.clears !== null,
      markerType: toMarkerType((row?.['marker_type'] ?? null) as Stored),
    }),
  }
}

interface FactColumns {
  readonly version: string
  readonly database: string
  readonly role: string
  readonly is_standby: boolean
  readonly marker_type: Stored
  readonly tuples: number | null
  readonly pages: number | null
  readonly heap_bytes: Stored
  readonly size_bytes: Stored
  readonly unfinished_share: number | null
  readonly tls: Stored
  readonly connections: Stored
  readonly can_write: boolean
  readonly has_policies: boolean
}

/** Below are the relations of the system's own catalogue. */
const FIRST_OWN_OID = 16_384

/** The name our connections have in the server. */
const APPLICATION_NAME = 'a2-inspector'

/** Estimates out of the catalogue; no table of a2 is counted. */
export function facts(
  { schema, clock }: PostgresScope,
  at: { readonly path: string; readonly latencyMs: number; readonly pollMs: number },
): Question<PostgresFacts> {
  const { events, clears, snapshots, history, pins, presence } = schema
  const tables = [events, clears, snapshots, history, pins, presence].filter((one) => one !== null)
  return {
    sql: `select current_setting('server_version') as version, current_database()::text as database,
        current_user::text as role, pg_is_in_recovery() as is_standby,
        ${markerTypeSql(schema)} as marker_type,
        c.reltuples as tuples, c.relpages as pages, pg_relation_size(c.oid)::int8 as heap_bytes,
        (select sum(pg_total_relation_size(id))::int8 from unnest($1::oid[]) id) as size_bytes,
        (select s.null_frac from pg_stats s where s.schemaname = $2 and s.tablename = 'a2_events'
          and s.attname = 'processed_at' limit 1) as unfinished_share,
        (select json_build_object('protocol', s.version, 'cipher', s.cipher) from pg_stat_ssl s
          where s.pid = pg_backend_pid() and s.ssl) as tls,
        (select count(*) from pg_stat_activity a where a.application_name = $3
          and a.usename = current_user) as connections,
        (select bool_and(has_table_privilege(id, 'insert') and has_table_privilege(id, 'update')
          and has_table_privilege(id, 'delete')) from unnest($1::oid[]) id) as can_write,
        row_security_active(c.oid) as has_policies
      from pg_class c where c.oid = $4::oid`,
    params: [tables.map(({ oid }) => oid), schema.name, APPLICATION_NAME, events.oid],
    read: (rows) => {
      const [row] = asRows<FactColumns>(rows)
      if (row === undefined) throw new Error('the catalogue lost the table of events')
      const estimatedEvents = estimate(row, schema)
      const share = row.unfinished_share
      return {
        dialect: 'postgres',
        path: at.path,
        name: row.database,
        serverVersion: row.version.split(' ')[0] ?? row.version,
        database: row.database,
        schemaName: schema.name,
        user: row.role,
        tls: parseMade<NonNullable<PostgresFacts['tls']>>(row.tls),
        schema: schema.version,
        estimatedEvents,
        estimatedUnfinished:
          estimatedEvents === null || share === null ? null : Math.round(estimatedEvents * share),
        sizeBytes: toCount(row.size_bytes),
        connections: toCount(row.connections),
        clockDifferenceMs: clock.differenceMs,
        latencyMs: at.latencyMs,
        pollMs: at.pollMs,
        isStandby: row.is_standby,
        canWrite: row.can_write && !row.is_standby,
        isRowSecurityActive: row.has_policies,
        markerType: toMarkerType(row.marker_type),
        isMarkerTypeLearned: toText(row.marker_type) !== '',
        unknownTables: schema.unknownTables,
        unknownColumns: schema.unknownColumns,
        missingColumns: schema.missingColumns,
        hasWorkIndex: schema.hasWorkIndex,
      }
    },
  }
}

/** As the planner does it: the density of the last analysis, times the size of now. */
function estimate(row: FactColumns, { blockBytes }: PostgresSchema): number | null {
  const bytes = toCount(row.heap_bytes)
  if (bytes === 0) return 0
  if (row.tuples === null || row.tuples < 0 || !row.pages) return null
  return Math.round((row.tuples / row.pages) * (bytes / blockBytes))
}

/** Whether a transaction that writes is open on a connection of this program: readers have none open between two statements. */
export function writeUnderWay(): Question<boolean> {
  return {
    sql: `select exists (select from pg_stat_activity a where a.application_name = $1
        and a.usename = current_user and a.pid <> pg_backend_pid()
        and (a.backend_xid is not null or a.state like 'idle in transaction%')) as is_under_way`,
    params: [APPLICATION_NAME],
    read: ([row]) => row?.['is_under_way'] === true,
  }
}

/** The look itself is left out: what it takes of the catalogue, and the snapshot it looks with. */
export function holdings(): Question<Omit<ServerHoldings, 'at'>> {
  return {
    sql: `with ours as materialized (select pid, xact_start from pg_stat_activity
        where application_name = $1 and usename = current_user)
      select (select count(*) from pg_locks l join ours on ours.pid = l.pid
          where not (l.pid = pg_backend_pid()
            and (l.locktype = 'virtualxid' or l.relation < ${FIRST_OWN_OID}))) as locks,
        (select (extract(epoch from clock_timestamp() - min(xact_start)) * 1000)::float8 from ours
          where pid <> pg_backend_pid()) as oldest_ms`,
    params: [APPLICATION_NAME],
    read: ([row]) => ({
      locks: toCount((row?.['locks'] ?? 0) as Stored),
      oldestTransactionMs: toOldest(row?.['oldest_ms'] ?? null),
    }),
  }
}

/** A transaction can begin in the moment between the two. */
function toOldest(ms: unknown): number | null {
  return typeof ms === 'number' ? Math.max(0, Math.round(ms)) : null
}

/** How many blocks the table of events has now. */
export function blockCount({ schema }: PostgresScope): Question<number> {
  return {
    sql: `select pg_relation_size($1::oid)::int8 as bytes, ${NOW_SQL} as now`,
    params: [schema.events.oid],
    read: ([row]) => Math.ceil(toCount((row?.['bytes'] ?? 0) as Stored) / schema.blockBytes),
  }
}

/** Sessions of the rows in the blocks from `from` on, the last rows first. */
export function sessionsOfBlocks(
  { schema: { events } }: PostgresScope,
  blocks: { readonly from: number; readonly before: number },
  limit: number,
): Question<{ ids: string[]; rows: number }> {
  return {
    sql: `select session_id, count(*) as rows from ${events.sql}
      where ctid >= $1::tid and ctid < $2::tid
      group by session_id order by max(ctid) desc limit $3`,
    params: [`(${blocks.from},0)`, `(${blocks.before},0)`, limit],
    read: (rows) => {
      const found = asRows<{ session_id: string; rows: Stored }>(rows)
      return {
        ids: found.map(({ session_id }) => session_id),
        rows: found.reduce((sum, row) => sum + toCount(row.rows), 0),
      }
    },
  }
}
