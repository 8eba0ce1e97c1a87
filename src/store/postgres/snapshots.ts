import type { SessionEvent, SnapshotWrite, StateAnswer, StateBounds } from '../store.ts'
import type { Connection, Row, Statement, Transaction } from './connection.ts'
import { PLAIN_COLUMNS, toSessionEvent } from './rows.ts'
import type { Tables } from './schema.ts'
import { clearIndexIn } from './session-log.ts'

export type StateRead = StateBounds & { readonly sessionId: string }

export interface CheckedSnapshot extends SnapshotWrite {
  readonly json: string
}

/** Answers many reads in one statement, and so as of one moment. */
export function bindSnapshotReads(connection: Connection, tables: Tables) {
  const eventColumns = PLAIN_COLUMNS.split(', ')
    .map((name) => `event.${name}`)
    .join(', ')
  const sql = `
    with bounded as materialized (
      select request.*, coalesce(clears.clear_index, 0) as clear_index
        from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality
          as request (session_id, through_index, snapshot_through_index, position)
        left join ${tables.clears} clears on clears.session_id = request.session_id
    ), selected as materialized (
      select bounded.*, head.up_to_index as head_index, found.up_to_index as snapshot_index,
             found.state
        from bounded
        left join ${tables.snapshots} head
          on head.session_id = bounded.session_id and head.reducer_name = $4
         and head.up_to_index >= bounded.clear_index
        left join lateral (
          select candidate.up_to_index, candidate.state from (
            select head.up_to_index, head.state
            union all
            select history.up_to_index, history.state from ${tables.history} history
             where history.session_id = bounded.session_id and history.reducer_name = $4
               and history.up_to_index >= bounded.clear_index
          ) candidate
          where candidate.up_to_index <=
                coalesce(bounded.snapshot_through_index, candidate.up_to_index)
          order by candidate.up_to_index desc limit 1
        ) found on true
    )
    select position, clear_index, head_index, snapshot_index, state,
           null::text as session_id, null::bigint as idx, null::text as event_id,
           null::text as event_type, null::jsonb as payload, null::bigint as created_at
      from selected
    union all
    select position, null, null, null, null, ${eventColumns}
      from selected
      join ${tables.events} event on event.session_id = selected.session_id
     where event.idx > greatest(coalesce(snapshot_index, 0), clear_index - 1)
       and (through_index is null or event.idx <= through_index)
     order by position, idx nulls first`
  return async (reducer: string, reads: readonly StateRead[]): Promise<StateAnswer[]> => {
    if (reads.length === 0) return []
    const rows = await connection.query({
      sql,
      params: [
        reads.map((read) => read.sessionId),
        reads.map((read) => read.throughIndex ?? null),
        reads.map((read) => read.snapshotThroughIndex ?? read.throughIndex ?? null),
        reducer,
      ],
    })
    return toAnswers(rows)
  }
}

/** Each read's rows begin with the one that has no event. */
function toAnswers(rows: readonly Row[]): StateAnswer[] {
  const answers: (StateAnswer & { readonly events: SessionEvent[] })[] = []
  for (const row of rows) {
    if (row['idx'] !== null) {
      answers.at(-1)!.events.push(toSessionEvent(row))
      continue
    }
    const clearIndex = Number(row['clear_index'])
    const snapshotIndex = row['snapshot_index'] as number | null
    answers.push({
      ...(clearIndex > 0 ? { clearIndex } : {}),
      headIndex: row['head_index'] as number | null,
      snapshot: snapshotIndex === null ? null : { index: snapshotIndex, state: row['state'] },
      events: [],
    })
  }
  return answers
}

interface Head {
  readonly index: number
  readonly state: unknown
  readonly updatedAt: unknown
}

function put(table: string, key: string, params: readonly unknown[]): Statement {
  return {
    sql: `insert into ${table} (session_id, reducer_name, up_to_index, state, updated_at)
        values ($1, $2, $3, $4::jsonb, $5)
        on conflict (${key}) do update
           set up_to_index = excluded.up_to_index, state = excluded.state,
               updated_at = excluded.updated_at`,
    params,
  }
}

export function bindSnapshotWrites(tables: Tables, now: () => number) {
  const putHead = (...params: readonly unknown[]) =>
    put(tables.snapshots, 'session_id, reducer_name', params)
  const putHistory = (...params: readonly unknown[]) =>
    put(tables.history, 'session_id, reducer_name, up_to_index', params)

  /** Another lock space than the session lock: these writes do not wait for appends and clears. */
  const holdHead = async (tx: Transaction, sessionId: string, reducer: string) => {
    const [, rows] = await tx.send(
      {
        sql: 'select pg_advisory_xact_lock(hashtext($1), hashtext($2))',
        params: [sessionId, reducer],
      },
      {
        sql: `select boundary.clear_index, head.*
                from (select ${clearIndexIn(tables)} as clear_index) boundary
                left join lateral (
                  select up_to_index, state::text as state, updated_at from ${tables.snapshots}
                   where session_id = $1 and reducer_name = $2 for update
                ) head on true`,
        params: [sessionId, reducer],
      },
    )
    const row = rows?.[0]
    const index = (row?.['up_to_index'] ?? null) as number | null
    const head: Head | undefined =
      index === null ? undefined : { index, state: row?.['state'], updatedAt: row?.['updated_at'] }
    return { clearIndex: Number(row?.['clear_index']), head }
  }

  return async (
    tx: Transaction,
    sessionId: string,
    reducer: string,
    writes: readonly CheckedSnapshot[],
  ): Promise<void> => {
    const { clearIndex, head } = await holdHead(tx, sessionId, reducer)
    // Of writes at one index the last one counts. A state folded before the latest clear belongs to a lifetime that is gone.
    const wanted = [...new Map(writes.map((write) => [write.index, write])).values()]
      .filter((write) => write.index >= clearIndex)
      .toSorted((a, b) => a.index - b.index)
    const newest = wanted.at(-1)
    if (newest === undefined) return
    await pinEvents(tx, tables, { sessionId, reducer, clearIndex }, wanted)
    const indexes = [...wanted.map((write) => write.index), ...(head ? [head.index] : [])]
    const pinned = await findPinned(tx, tables, { sessionId, reducer }, indexes)
    const at = now()
    const isHead = head === undefined || newest.index >= head.index
    if (
      head !== undefined &&
      newest.index > head.index &&
      head.index >= clearIndex &&
      pinned.has(head.index)
    )
      tx.later(putHistory(sessionId, reducer, head.index, head.state, head.updatedAt))
    for (const write of wanted) {
      if (write === newest && isHead)
        tx.later(putHead(sessionId, reducer, write.index, write.json, at))
      else if (pinned.has(write.index))
        tx.later(putHistory(sessionId, reducer, write.index, write.json, at))
    }
  }
}

/** Notes which unfinished live events need which snapshot; other events are ignored. */
async function pinEvents(
  tx: Transaction,
  tables: Tables,
  at: { readonly sessionId: string; readonly reducer: string; readonly clearIndex: number },
  writes: readonly CheckedSnapshot[],
): Promise<void> {
  const pins = writes.flatMap((write) =>
    (write.pinEventIndexes ?? []).map((event) => ({ event, upTo: write.index })),
  )
  if (pins.length === 0) return
  const [rows = []] = await tx.send({
    sql: `select idx, processed_at, failed_at from ${tables.events}
           where session_id = $1 and idx = any($2::bigint[]) and idx > $3
           order by idx for update`,
    params: [at.sessionId, [...new Set(pins.map((pin) => pin.event))], at.clearIndex],
  })
  const unfinished = new Set(
    rows
      .filter((row) => row['processed_at'] === null && row['failed_at'] === null)
      .map((row) => row['idx']),
  )
  const kept = pins.filter((pin) => unfinished.has(pin.event))
  tx.later({
    sql: `insert into ${tables.pins} (session_id, event_index, reducer_name, up_to_index)
          select $1, event_index, $2, up_to_index
            from unnest($3::bigint[], $4::bigint[]) as pin (event_index, up_to_index)
          on conflict do nothing`,
    params: [at.sessionId, at.reducer, kept.map((pin) => pin.event), kept.map((pin) => pin.upTo)],
  })
}

async function findPinned(
  tx: Transaction,
  tables: Tables,
  { sessionId, reducer }: { readonly sessionId: string; readonly reducer: string },
  indexes: readonly number[],
): Promise<ReadonlySet<unknown>> {
  const [rows = []] = await tx.send({
    sql: `select distinct up_to_index from ${tables.pins}
           where session_id = $1 and reducer_name = $2 and up_to_index = any($3::bigint[])`,
    params: [sessionId, reducer, indexes],
  })
  return new Set(rows.map((row) => row['up_to_index']))
}
