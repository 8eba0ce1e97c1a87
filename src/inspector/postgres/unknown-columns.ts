import type { RawColumn } from '../../model/event.ts'
import { quoteName, type Stored, toText, toTextOrNull } from '../sqlite-values.ts'
import type { PostgresTable } from './schema.ts'

const RAW_TEXT_CHARACTERS = 4000
/** Larger values are not turned into text. */
const RAW_VALUE_BYTES = 1024 * 1024

/** SQL columns that read the columns we do not know of a table called `alias`; begins with a comma unless empty. */
export function unknownSql({ unknownColumns }: PostgresTable, alias: string): string {
  return unknownColumns
    .map((name, n) => {
      const column = `${alias}.${quoteName(name)}`
      return `, case when ${column} is not null then pg_typeof(${column})::text else 'null' end as t${n},
        pg_column_size(${column}) as b${n},
        case when pg_column_size(${column}) <= ${RAW_VALUE_BYTES}
          then left(${column}::text, ${RAW_TEXT_CHARACTERS}) end as v${n}`
    })
    .join('')
}

/** Reads what `unknownSql` selected: the server's own text, which loses no digit. */
export function toUnknown(row: unknown, { unknownColumns }: PostgresTable): RawColumn[] {
  const values = row as Readonly<Record<string, Stored>>
  return unknownColumns.map((name, n) => {
    const bytes = values[`b${n}`] ?? null
    return {
      name,
      storage: toText(values[`t${n}`] ?? null),
      text: toTextOrNull(values[`v${n}`] ?? null),
      bytes: typeof bytes === 'number' ? bytes : null,
    }
  })
}
