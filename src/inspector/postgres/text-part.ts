import type { TextPart } from '../../model/event.ts'
import { chunkBytes, type Stored, toCount, toText, toTextPart } from '../sqlite-values.ts'

/** Of a text expression `text`, bytes from an offset on, as columns; parameters are named by the caller. */
export function textPartSql(
  column: string,
  text: string,
  at: { readonly offset: string; readonly length: string },
): string {
  return `encode(substring(convert_to(${text}, 'UTF8') from ${at.offset}::int + 1 for ${at.length}::int),
      'hex') as chunk,
    octet_length(convert_to(${text}, 'UTF8')) as chunk_of,
    case when ${column} is null then 'null' else pg_typeof(${column})::text end as storage`
}

export interface PartColumns {
  readonly chunk: Stored
  readonly chunk_of: Stored
  readonly storage: Stored
}

/** What to bind as the length. */
export const lengthOf = chunkBytes

/** Cut between characters. */
export function toPart(
  row: PartColumns,
  at: { readonly offsetBytes: number; readonly maxBytes: number },
): TextPart {
  const stored = {
    chunk: typeof row.chunk === 'string' ? Buffer.from(row.chunk, 'hex') : null,
    bytes: row.chunk_of === null ? null : toCount(row.chunk_of),
    storage: toText(row.storage),
  }
  return toTextPart(stored, { ...at, encoding: 'utf-8' })
}
