import type { PresenceList, PresenceRow } from '../../model/presence.ts'
import type { Scope } from '../handle.ts'
import { type Stored, toText, toTextOrNull, toTime } from '../sqlite-values.ts'
import { readUnknownColumns } from './unknown-columns.ts'

export const MAX_ROWS = 1000
export const MAX_DATA_CHARACTERS = 100_000
const FROM = `a2_presence order by ns, participant limit ${MAX_ROWS + 1}`

export interface PresenceColumns {
  readonly ns: Stored
  readonly participant: Stored
  readonly data: Stored
  readonly joined_at: Stored
  readonly updated_at: Stored
  readonly expires_at: Stored
}

/** By namespace and participant, the first 1,000. */
export function readPresence(scope: Scope): PresenceList {
  const shape = scope.schema.presence
  if (shape === null) return { isSupported: false, rows: [], isCut: false, readAt: scope.now }
  const optional = (name: string): string => `${shape.columns.has(name) ? name : 'null'} as ${name}`
  const data = shape.columns.has('data') ? `substr(data, 1, ${MAX_DATA_CHARACTERS})` : 'null'
  const rows = scope.handle.all<PresenceColumns>(
    `select ns as ns, participant as participant, ${data} as data, ${optional('joined_at')}, ${optional('updated_at')},
       ${optional('expires_at')} from ${FROM}`,
  )
  const unknown = readUnknownColumns(scope, shape, FROM, [])
  return {
    isSupported: true,
    rows: rows
      .slice(0, MAX_ROWS)
      .map((row, n) => ({ ...toPresenceRow(row, scope.now), unknownColumns: unknown[n] ?? [] })),
    isCut: rows.length > MAX_ROWS,
    readAt: scope.now,
  }
}

export function toPresenceRow(
  row: PresenceColumns,
  now: number,
): Omit<PresenceRow, 'unknownColumns'> {
  const expiresAt = toTime(row.expires_at)
  return {
    namespace: toText(row.ns),
    participant: toText(row.participant),
    data: toTextOrNull(row.data),
    joinedAt: toTime(row.joined_at),
    updatedAt: toTime(row.updated_at),
    expiresAt,
    isExpired: expiresAt === null ? null : expiresAt <= now,
  }
}
