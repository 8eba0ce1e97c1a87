import type { SearchRequest } from '../../model/search.ts'
import type { SqlValue } from '../../store/sqlite/open.ts'
import type { Scope } from '../handle.ts'
import { toGlobPattern, toLikePattern, toTypeFilter } from '../search-text.ts'

interface Condition {
  readonly sql: string
  readonly params: readonly SqlValue[]
}

/** What of an event is searched; the cheapest columns first. */
function columnsOf({ schema }: Scope, { scope }: SearchRequest): string[] {
  if (scope === 'payload') return ['payload']
  const error = schema.events.columns.has('last_error') ? ['last_error'] : []
  return ['session_id', 'event_type', 'payload', 'event_id', 'lane', ...error]
}

/** Text in a column of bytes is text too; of what stands behind a NUL neither operator knows. */
export function textConditionSql(column: string, request: SearchRequest): string {
  const text = `cast(${column} as text)`
  return request.matchCase ? `${text} glob ?` : `${text} like ? escape '!'`
}

export function toPattern({ text, matchCase }: SearchRequest): string {
  return matchCase ? toGlobPattern(text) : toLikePattern(text)
}

/** The type first: where it differs, the payload is not read. */
export function conditionOf(scope: Scope, request: SearchRequest): Condition {
  if (request.text === '') return typeConditionOf(request) ?? { sql: 'true', params: [] }
  const pattern = toPattern(request)
  const columns = columnsOf(scope, request)
  const text = `(${columns.map((column) => textConditionSql(column, request)).join(' or ')})`
  const params = columns.map(() => pattern)
  const type = typeConditionOf(request)
  if (type === null) return { sql: text, params }
  return { sql: `${type.sql} and ${text}`, params: [...type.params, ...params] }
}

/** The sign keeps an index on types out of it: rows are looked at in their own order. */
function typeConditionOf({ eventType }: SearchRequest): Condition | null {
  if (eventType === null) return null
  const type = toTypeFilter(eventType)
  return 'exact' in type
    ? { sql: '+event_type = ?', params: [type.exact] }
    : { sql: '+event_type glob ?', params: [toGlobPattern(type.prefix).slice(1)] }
}
