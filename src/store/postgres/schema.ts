import type { Connection, Statement } from './connection.ts'
import type { OptionalColumns } from '../optional-columns.ts'

/** The tables as statements name them: with the schema when one was given, else by the search path. */
export interface Tables {
  readonly events: string
  readonly clears: string
  readonly snapshots: string
  readonly history: string
  readonly pins: string
  readonly presence: string
}

export function nameTables(schema: string | undefined): Tables {
  const prefix = schema === undefined ? '' : `${quoteIdentifier(schema)}.`
  return {
    events: `${prefix}a2_events`,
    clears: `${prefix}a2_clears`,
    snapshots: `${prefix}a2_snapshots`,
    history: `${prefix}a2_snapshot_history`,
    pins: `${prefix}a2_snapshot_pins`,
    presence: `${prefix}a2_presence`,
  }
}

/** Each table, and what makes it with its indexes when it is missing. */
function definitions(tables: Tables): readonly (readonly [name: string, ...ddl: string[]])[] {
  return [
    [
      tables.events,
      `create table ${tables.events} (
         session_id         text    not null,
         idx                bigint  not null,
         event_type         text    not null,
         payload            jsonb,
         event_id           text    not null,
         created_at         bigint  not null,
         cause              jsonb,
         lane               text,
         lane_ready         boolean not null default true,
         processed_at       bigint,
         attempt_count      integer not null default 0,
         failure_count      integer not null default 0,
         failed_at          bigint,
         last_error         text,
         returned_event_ids jsonb,
         claim_holder       text,
         claim_expires_at   bigint,
         primary key (session_id, idx)
       )`,
      `create unique index a2_events_event_id on ${tables.events} (event_id)`,
      `create index a2_events_pending
         on ${tables.events} (session_id, idx) where processed_at is null`,
      `create index a2_events_lane
         on ${tables.events} (session_id, lane, idx)
         where processed_at is null and lane is not null`,
    ],
    [
      tables.snapshots,
      `create table ${tables.snapshots} (
         session_id   text   not null,
         reducer_name text   not null,
         up_to_index  bigint not null,
         state        jsonb  not null,
         updated_at   bigint not null,
         primary key (session_id, reducer_name)
       )`,
    ],
    [
      tables.history,
      `create table ${tables.history} (
         session_id   text   not null,
         reducer_name text   not null,
         up_to_index  bigint not null,
         state        jsonb  not null,
         updated_at   bigint not null,
         primary key (session_id, reducer_name, up_to_index)
       )`,
    ],
    [
      tables.pins,
      `create table ${tables.pins} (
         session_id   text   not null,
         event_index  bigint not null,
         reducer_name text   not null,
         up_to_index  bigint not null,
         primary key (session_id, event_index, reducer_name, up_to_index)
       )`,
      `create index a2_snapshot_pins_checkpoint
         on ${tables.pins} (session_id, reducer_name, up_to_index)`,
    ],
    [tables.clears, clearsDefinition(tables.clears)],
    [
      tables.presence,
      `create table ${tables.presence} (
         ns          text   not null,
         participant text   not null,
         data        jsonb  not null,
         joined_at   bigint not null,
         updated_at  bigint not null,
         expires_at  bigint not null,
         primary key (ns, participant)
       )`,
    ],
  ]
}

export function clearsDefinition(name: string): string {
  return `create table ${name} (
     session_id  text   primary key,
     clear_index bigint not null
   )`
}

/** Two that open an empty database at once must not both create it. Held to the end of the transaction. */
export function schemaLock(schema: string | undefined): Statement {
  return {
    sql: `select pg_advisory_xact_lock(hashtext('a2 schema'), hashtext($1))`,
    params: [schema ?? ''],
  }
}

/** Creates what is missing; where nothing is, it only looks. Tables that exist stay as they are. */
export async function prepareSchema(
  connection: Connection,
  schema: string | undefined,
  tables: Tables,
): Promise<OptionalColumns> {
  const wanted = definitions(tables)
  const find = {
    sql: 'select name from unnest($1::text[]) as name where to_regclass(name) is null',
    params: [wanted.map(([name]) => name)],
  }
  if ((await connection.query(find)).length > 0) {
    await connection.transaction(async (tx) => {
      const schemaExists = {
        sql: 'select 1 from pg_namespace where nspname = $1',
        params: [schema ?? null],
      }
      const [, namespaces = [], missing = []] = await tx.send(
        schemaLock(schema),
        schemaExists,
        find,
      )
      if (schema !== undefined && namespaces.length === 0)
        tx.later({ sql: `create schema ${quoteIdentifier(schema)}`, params: [] })
      const names = new Set(missing.map((row) => row['name']))
      for (const [name, ...ddl] of wanted)
        if (names.has(name)) for (const sql of ddl) tx.later({ sql, params: [] })
    })
  }
  return findOptionalColumns(connection, tables)
}

async function findOptionalColumns(
  connection: Connection,
  tables: Tables,
): Promise<OptionalColumns> {
  const rows = await connection.query({
    sql: `select attname from pg_attribute
           where attrelid = to_regclass($1) and attnum > 0 and not attisdropped`,
    params: [tables.events],
  })
  const names = new Set(rows.map((row) => row['attname']))
  return {
    hasLastError: names.has('last_error'),
    hasReturnedEventIds: names.has('returned_event_ids'),
  }
}

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
