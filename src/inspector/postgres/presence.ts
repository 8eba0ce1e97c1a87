import type { PresenceList } from '../../model/presence.ts'
import {
  MAX_DATA_CHARACTERS,
  MAX_ROWS,
  type PresenceColumns,
  toPresenceRow,
} from '../queries/presence.ts'
import type { Stored } from '../sqlite-values.ts'
import type { PostgresScope, Question } from './asker.ts'
import { asRows, NOW_SQL } from './pieces.ts'
import { toUnknown, unknownSql } from './unknown-columns.ts'

/** By namespace and participant, the first 1,000. */
export function presence({ schema, clock }: PostgresScope): Question<PresenceList> {
  const table = schema.presence
  if (table === null) {
    return {
      sql: `select ${NOW_SQL} as now`,
      params: [],
      read: ([row]) => ({
        isSupported: false,
        rows: [],
        isCut: false,
        readAt: clock.atAnswer((row?.['now'] ?? null) as Stored),
      }),
    }
  }
  const optional = (name: string): string =>
    table.columns.has(name) ? `e.${name}` : `null::bigint as ${name}`
  const data = table.columns.has('data') ? `left(e.data::text, ${MAX_DATA_CHARACTERS})` : 'null'
  return {
    sql: `select at.now, e.* from (select ${NOW_SQL} as now) at left join lateral (
      select e.ns, e.participant, ${data} as data, ${optional('joined_at')},
        ${optional('updated_at')}, ${optional('expires_at')}${unknownSql(table, 'e')}
      from ${table.sql} e order by e.ns, e.participant limit ${MAX_ROWS + 1}) e on true
      order by e.ns, e.participant`,
    params: [],
    read: (rows) => {
      const found = asRows<PresenceColumns & { now: Stored }>(rows)
      const readAt = clock.atAnswer(found[0]?.now ?? null)
      const present = found.filter(({ ns }) => ns !== null)
      return {
        isSupported: true,
        rows: present.slice(0, MAX_ROWS).map((row) => ({
          ...toPresenceRow(row, readAt),
          unknownColumns: toUnknown(row, table),
        })),
        isCut: present.length > MAX_ROWS,
        readAt,
      }
    },
  }
}
