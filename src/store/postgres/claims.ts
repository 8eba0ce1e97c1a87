import { leaseEnd } from '../lease.ts'
import type { ClaimAnswer, ClaimRequest, RenewAnswer, RenewRequest } from '../store.ts'
import type { Connection, Statement } from './connection.ts'
import { toStoredEvent } from './rows.ts'
import type { Tables } from './schema.ts'
import { clearIndexIn } from './session-log.ts'

interface Context {
  readonly now: () => number
  /** The select list of an event row, with `event` as its table. */
  readonly columns: string
}

export function bindClaims(connection: Connection, tables: Tables, context: Context) {
  const clearIndex = clearIndexIn(tables)
  /** Waits for rows that others hold, and looks at them again once it has them. */
  const claim = (request: ClaimRequest, now: number): Statement => ({
    sql: `with eligible as (
            select idx from ${tables.events} pending
             where session_id = $1 and processed_at is null and failed_at is null and lane_ready
               and idx > ${clearIndex} and (claim_expires_at is null or claim_expires_at <= $2)
               and not (idx = any($5::bigint[]))
             order by idx for update of pending)
          update ${tables.events} event
             set attempt_count = event.attempt_count + 1, claim_holder = $3, claim_expires_at = $4
            from eligible
           where event.session_id = $1 and event.idx = eligible.idx
          returning ${context.columns}, ${clearIndex} as clear_index`,
    params: [
      request.sessionId,
      now,
      request.holder,
      leaseEnd(request, now),
      request.excludeIndexes ?? [],
    ],
  })
  const nextEnd = (sessionId: string, now: number): Statement => ({
    sql: `select min(claim_expires_at) as retry_at from ${tables.events}
           where session_id = $1 and processed_at is null and failed_at is null and lane_ready
             and idx > ${clearIndex} and claim_expires_at > $2`,
    params: [sessionId, now],
  })
  return {
    claimPending: (request: ClaimRequest): Promise<ClaimAnswer> =>
      connection.transaction(async (tx) => {
        const now = context.now()
        const [rows = []] = await tx.send(claim(request, now))
        if (rows.length > 0) {
          const events = rows.map((row) => {
            const cleared = Number(row['clear_index'])
            return { ...toStoredEvent(row), ...(cleared > 0 ? { clearIndex: cleared } : {}) }
          })
          return { outcome: 'claimed', events: events.toSorted((a, b) => a.index - b.index) }
        }
        const [next] = await tx.commit(nextEnd(request.sessionId, now))
        const retryAt = next?.[0]?.['retry_at'] ?? null
        return retryAt === null
          ? { outcome: 'empty' }
          : { outcome: 'waiting', retryAt: new Date(Number(retryAt)) }
      }),
    renew: (request: RenewRequest): Promise<RenewAnswer> =>
      renew(connection, tables, request, context.now()),
  }
}

async function renew(
  connection: Connection,
  tables: Tables,
  request: RenewRequest,
  now: number,
): Promise<RenewAnswer> {
  const { sessionId, holder, claims } = request
  // An index that is named twice counts once, with the attempt named last.
  const attempts = new Map(claims.map(({ index, attempt }) => [index, attempt]))
  const clearIndex = clearIndexIn(tables)
  const rows = await connection.query({
    sql: `with listed as materialized (
            select * from unnest($2::bigint[], $3::bigint[]) as listed (idx, attempt)
          ), renewed as (
            update ${tables.events} event set claim_expires_at = $4
              from listed
             where event.session_id = $1 and event.idx = listed.idx
               and event.idx > ${clearIndex} and event.attempt_count = listed.attempt
               and event.processed_at is null and event.failed_at is null
               and event.claim_holder = $5 and event.claim_expires_at > $6
            returning event.idx
          )
          select listed.idx,
                 listed.idx in (select idx from renewed) as renewed,
                 listed.idx <= ${clearIndex} or coalesce(event.attempt_count > listed.attempt, false)
                   as superseded
            from listed
            left join ${tables.events} event
              on event.session_id = $1 and event.idx = listed.idx
           order by listed.idx`,
    params: [
      sessionId,
      [...attempts.keys()],
      [...attempts.values()],
      leaseEnd(request, now),
      holder,
      now,
    ],
  })
  const indexes = (mark: string) =>
    rows.filter((row) => row[mark] === true).map((row) => Number(row['idx']))
  const renewed = indexes('renewed')
  return { renewed, superseded: indexes('superseded').filter((index) => !renewed.includes(index)) }
}
