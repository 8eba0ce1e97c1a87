import type { ConnectionTest } from '../../../model/connection.ts'
import type { Row, Statement } from '../connection.ts'

/** What the a2 tables on the search path are like, and what this role may do with them. */
export interface TableRights {
  readonly schema: ConnectionTest['schema']
  readonly canRead: boolean
  /** Insert, update and delete in every table that is there. */
  readonly canWrite: boolean
  readonly isRowSecurityActive: boolean
  readonly estimatedEvents: number | null
  readonly bytes: number | null
}

const TABLES = [
  'a2_events',
  'a2_clears',
  'a2_snapshots',
  'a2_snapshot_history',
  'a2_snapshot_pins',
  'a2_presence',
]

/** Reads the catalogue only, never a table of a2. */
export const RIGHTS: Statement = {
  sql: `select name,
               has_table_privilege(id, 'select') as can_select,
               has_table_privilege(id, 'insert') and has_table_privilege(id, 'update')
                 and has_table_privilege(id, 'delete') as can_change,
               row_security_active(id) as has_policies,
               (select reltuples::float8 from pg_class where oid = id) as rows,
               pg_total_relation_size(id)::float8 as bytes
          from (select name, to_regclass(name)::oid as id from unnest($1::text[]) as name) as wanted
         where id is not null`,
  params: [TABLES],
}

export function toRights(rows: readonly Row[]): TableRights {
  const events = rows.find((row) => row['name'] === 'a2_events')
  if (events === undefined) return NONE
  const hasClears = rows.some((row) => row['name'] === 'a2_clears')
  const estimate = Number(events['rows'])
  return {
    schema: hasClears ? '0.18' : '0.16',
    canRead: rows.every((row) => row['can_select'] === true),
    canWrite: rows.every((row) => row['can_change'] === true),
    isRowSecurityActive: rows.some((row) => row['has_policies'] === true),
    // −1: never vacuumed or analysed.
    estimatedEvents: estimate < 0 ? null : estimate,
    bytes: rows.reduce((sum, row) => sum + Number(row['bytes']), 0),
  }
}

const NONE: TableRights = {
  schema: 'none',
  canRead: false,
  canWrite: false,
  isRowSecurityActive: false,
  estimatedEvents: null,
  bytes: null,
}
