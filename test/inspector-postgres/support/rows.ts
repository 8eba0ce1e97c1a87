import type { Client } from 'pg'

import type { NewRow } from '../../inspector/support/tables.ts'

/** Appends rows as they are given, in one statement. */
export async function insertRows(client: Client, rows: readonly NewRow[]): Promise<void> {
  const stored = rows.map((row) => ({
    session_id: row.session,
    idx: row.index,
    event_type: row.type ?? 'thing.happened',
    payload: JSON.parse(row.payload ?? '{}') as unknown,
    event_id: row.id ?? `${row.session}#${row.index}`,
    created_at: row.createdAt ?? row.index,
    cause: JSON.parse(row.cause ?? 'null') as unknown,
    lane: row.lane ?? null,
    lane_ready: (row.laneReady ?? 1) === 1,
    processed_at: row.processedAt === undefined ? 1 : row.processedAt,
    attempt_count: row.attempts ?? 0,
    failure_count: row.failures ?? 0,
    failed_at: row.failedAt ?? null,
    claim_expires_at: row.claimExpiresAt ?? null,
  }))
  await client.query(
    `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at, cause, lane,
       lane_ready, processed_at, attempt_count, failure_count, failed_at, claim_expires_at)
     select r.session_id, r.idx, r.event_type, coalesce(r.payload, 'null'), r.event_id, r.created_at,
       r.cause, r.lane, r.lane_ready, r.processed_at, r.attempt_count, r.failure_count, r.failed_at,
       r.claim_expires_at
       from jsonb_array_elements($1::jsonb) with ordinality as rows(row, n)
       cross join lateral jsonb_populate_record(null::a2_events, row) r order by n`,
    [JSON.stringify(stored)],
  )
}
