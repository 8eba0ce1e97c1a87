import type { RawColumn } from '../../model/event.ts'
import type { SqlValue } from '../../store/sqlite/open.ts'
import type { Scope } from '../handle.ts'
import type { TableShape } from '../table-shape.ts'
import { rawColumnSql, type Stored, toRawColumn } from '../sqlite-values.ts'

/** The columns we do not know of every row that `from` selects. */
export function readUnknownColumns(
  { handle, schema }: Scope,
  { unknownColumns }: TableShape,
  from: string,
  params: readonly SqlValue[],
): RawColumn[][] {
  if (unknownColumns.length === 0) return []
  const rows = handle.all<Record<string, Stored>>(
    `select ${unknownColumns.map(rawColumnSql).join(', ')} from ${from}`,
    params,
    { bigints: true },
  )
  return rows.map((row) =>
    unknownColumns.map((name, n) => toRawColumn(row, name, { n, encoding: schema.encoding })),
  )
}
