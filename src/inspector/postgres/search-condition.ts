import type { SearchRequest } from '../../model/search.ts'
import { toLikePattern, toTypeFilter } from '../search-text.ts'
import type { PostgresSchema } from './schema.ts'

type Bind = (value: unknown) => string

/** What of an event `e` is searched. */
function columnsOf({ events }: PostgresSchema, { scope }: SearchRequest): string[] {
  if (scope === 'payload') return ['payload']
  const error = events.columns.has('last_error') ? ['last_error'] : []
  return ['session_id', 'event_type', 'event_id', 'lane', ...error, 'payload']
}

/** A collation of a column's own may not be able to look for parts of a text. */
export function comparable(text: string): string {
  return `(${text}::text collate "default")`
}

export function textConditionSql(text: string, request: SearchRequest, pattern: string): string {
  return `${comparable(text)} ${request.matchCase ? 'like' : 'ilike'} ${pattern} escape '!'`
}

/** The type first: where it differs, the payload is not turned into text. */
export function conditionSql(schema: PostgresSchema, request: SearchRequest, bind: Bind): string {
  const conditions: string[] = []
  if (request.eventType !== null) {
    const type = toTypeFilter(request.eventType)
    conditions.push(
      'exact' in type
        ? `${comparable('e.event_type')} = ${bind(type.exact)}`
        : `starts_with(${comparable('e.event_type')}, ${bind(type.prefix)})`,
    )
  }
  if (request.text !== '') {
    const pattern = bind(toLikePattern(request.text))
    const found = columnsOf(schema, request).map((column) =>
      textConditionSql(`e.${column}`, request, pattern),
    )
    conditions.push(`(${found.join(' or ')})`)
  }
  return conditions.length === 0 ? 'true' : conditions.join(' and ')
}
