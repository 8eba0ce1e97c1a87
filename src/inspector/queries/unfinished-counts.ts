import type { Scope } from '../handle.ts'
import { toCount } from '../sqlite-values.ts'
import { type CountedBy, DEAD, type Term, TERMS } from '../sqlite-indexes.ts'
import type { WorkKey } from './work.ts'

/** Live events by session; sessions without any may be absent. */
export type CountBySession = Map<string, number>

export interface CountedStep {
  readonly counts: CountBySession
  /** null at the end. */
  readonly next: WorkKey | null
}

const START: WorkKey = { sessionId: '', index: Number.MIN_SAFE_INTEGER }

/** What of a session is at or below its clear index is not live; neither is an index below 1. */
const CLEAR_SQL = `case when typeof(c.clear_index) in ('integer', 'real') then max(0, c.clear_index) else 0 end`

function clearedSql({ schema }: Scope): { clear: string; join: (table: string) => string } {
  if (schema.clears === null) return { clear: '0', join: () => '' }
  return {
    clear: CLEAR_SQL,
    join: (table) => `left join a2_clears c on c.session_id = ${table}.session_id`,
  }
}

const where = (terms: readonly Term[]): string => terms.join(' and ')

/** Counts the next `limit` entries of the index, without looking at a row. */
export function countByIndex(
  scope: Scope,
  by: CountedBy,
  { after, limit }: { after: WorkKey | null; limit: number },
): CountedStep {
  const { clear, join } = clearedSql(scope)
  const from = after ?? START
  const rows = scope.handle.lists(
    `with g as materialized (
       select session_id, min(idx) as first, max(idx) as last, count(*) as n
       from (select session_id, idx from a2_events where ${where(TERMS[by])}
         and (session_id, idx) > (?, ?) order by session_id, idx limit ?) group by session_id)
     select g.session_id, g.last, g.n, case when g.first > ${clear} then g.n else g.n -
         (select count(*) from a2_events e where e.session_id = g.session_id and ${where(TERMS[by])}
          and e.idx >= g.first and e.idx <= min(g.last, ${clear})) end
     from g ${join('g')} order by g.session_id`,
    [from.sessionId, from.index, limit],
  )
  const counts: CountBySession = new Map()
  let seen = 0
  let next: WorkKey | null = null
  for (const [sessionId, last = null, n = null, live = null] of rows) {
    seen += toCount(n)
    // After all texts come blobs, which name no session.
    if (typeof sessionId !== 'string') return { counts, next: null }
    next = { sessionId, index: toCount(last) }
    if (toCount(live) > 0) counts.set(sessionId, toCount(live))
  }
  return { counts, next: seen < limit ? null : next }
}

/** Dead letters through an index on them; null when they are more than `limit`. */
export function countDeadByIndex(scope: Scope, limit: number): CountBySession | null {
  const { clear, join } = clearedSql(scope)
  const rows = scope.handle.lists(
    `select d.session_id, count(*), sum(d.idx > ${clear})
     from (select session_id, idx from a2_events where ${where(DEAD)} limit ?) d ${join('d')}
     group by d.session_id`,
    [limit],
  )
  const counts: CountBySession = new Map()
  let seen = 0
  for (const [sessionId, n = null, live = null] of rows) {
    seen += toCount(n)
    if (typeof sessionId === 'string' && toCount(live) > 0) counts.set(sessionId, toCount(live))
  }
  return seen < limit ? counts : null
}
