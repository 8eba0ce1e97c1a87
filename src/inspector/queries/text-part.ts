import type { TextPart } from '../../model/event.ts'
import type { SqlValue } from '../../store/sqlite/open.ts'
import type { Scope } from '../handle.ts'
import { chunkBytes, type StoredChunk, toTextPart } from '../sqlite-values.ts'

/** A piece of one stored text; undefined when there is no such row. */
export function findTextPart(
  { handle, schema }: Scope,
  wanted: {
    /** SQL of this program, never anything from outside. */
    readonly column: string
    readonly from: string
    readonly params: readonly SqlValue[]
    readonly offsetBytes: number
    readonly maxBytes: number
  },
): TextPart | undefined {
  const { column, offsetBytes, maxBytes } = wanted
  const stored = handle.get<StoredChunk>(
    `select substr(cast(${column} as blob), ?, ?) as chunk, octet_length(${column}) as bytes,
       typeof(${column}) as storage from ${wanted.from}`,
    [offsetBytes + 1, chunkBytes(maxBytes), ...wanted.params],
  )
  if (stored === undefined) return undefined
  return toTextPart(stored, { offsetBytes, maxBytes, encoding: schema.encoding })
}
