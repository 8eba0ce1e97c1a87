import { leaseEnd } from '../lease.ts'
import type { ClaimAnswer, ClaimRequest, RenewAnswer, RenewRequest } from '../store.ts'
import { type Connection, statement } from './connection.ts'
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
  const claim = statement(
    `with eligible as (
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
  )
  const nextEnd = statement(
    `select min(claim_expires_at) as retry_at from ${tables.events}
      where session_id = $1 and processed_at is null and failed_at is null and lane_ready
        and idx > ${clearIndex} and claim_expires_at > $2`,
  )
  const renewal = statement(renewSql(tables))
  return {
    claimPending: (request: ClaimRequest): Promise<ClaimAnswer> =>
      connection.transaction(async (tx) => {
        const now = context.now()
        const { sessionId, holder, excludeIndexes = [] } = request
        const [rows = []] = await tx.send(
          claim(sessionId, now, holder, leaseEnd(request, now), excludeIndexes),
        )
        if (rows.length > 0) {
          const events = rows.map((row) => {
            const cleared = Number(row['clear_index'])
            return { ...toStoredEvent(row), ...(cleared > 0 ? { clearIndex: cleared } : {}) }
          })
          return { outcome: 'claimed', events: events.toSorted((a, b) => a.index - b.index) }
        }
        const [next] = await tx.commit(nextEnd(sessionId, now))
        const retryAt = next?.[0]?.['retry_at'] ?? null
        return retryAt === null
          ? { outcome: 'empty' }
          : { outcome: 'waiting', retryAt: new Date(Number(retryAt)) }
      }),
    async renew(request: RenewRequest): Promise<RenewAnswer> {
      const now = context.now()
      // An index that is named twice counts once, with the attempt named last.
      const attempts = new Map(request.claims.map(({ index, attempt }) => [index, attempt]))
      const lists = [[...attempts.keys()], [...attempts.values()]]
      const { sessionId, holder } = request
      const rows = await connection.query(
        renewal(sessionId, ...lists, leaseEnd(request, now), holder, now),
      )
      const indexes = (mark: string) =>
        rows.filter((row) => row[mark] === true).map((row) => Number(row['idx']))
      return { renewed: indexes('renewed'), superseded: indexes('superseded') }
    },
  }
}

function renewSql(tables: Tables): string {
  const clearIndex = clearIndexIn(tables)
  return `
    with listed as materialized (
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
      left join ${tables.events} event on event.session_id = $1 and event.idx = listed.idx
     order by listed.idx`
}
