import type { EventCause, RawColumn, TextPart } from '../model/event.ts'
import type { SqliteSchema } from './sqlite-schema.ts'

/**
 * A value as a database hands it over. SQLite: a foreign table may hold any but booleans in any column.
 * Postgres: numbers, booleans, and text for all else.
 */
export type Stored = string | number | bigint | boolean | Buffer | null

export type Encoding = SqliteSchema['encoding']

export const START_CHARACTERS = 400
/** Enough bytes for the first characters in every encoding. */
export const START_BYTES = START_CHARACTERS * 4

/** Epoch milliseconds, or null for anything that is not a number. */
export function toTime(value: Stored): number | null {
  return typeof value === 'number' ? value : null
}

/** A count or an index; 0 for anything that is not a number. */
export function toCount(value: Stored): number {
  return typeof value === 'number' ? value : 0
}

/** A clear index is never below 0, whatever is stored. */
export function toClearIndex(value: Stored): number {
  return Math.max(0, toCount(value))
}

export function toText(value: Stored): string {
  return toTextOrNull(value) ?? ''
}

export function toTextOrNull(value: Stored): string | null {
  if (value === null) return null
  return typeof value === 'string' ? value : value.toString()
}

/** 0 and false are false; anything else counts as true. */
export function toFlag(value: Stored): boolean {
  return value !== 0 && value !== false
}

/** Reads `{"index":n,"attempt":n}`; null for anything else. */
export function toCause(value: Stored): EventCause | null {
  const cause = parseJson(value)
  if (cause === null || typeof cause !== 'object') return null
  const { index, attempt } = cause as Partial<Record<'index' | 'attempt', unknown>>
  if (typeof index !== 'number' || typeof attempt !== 'number') return null
  return { index, attempt }
}

/** Reads a list of ids; null for anything else. */
export function toIds(value: Stored): readonly string[] | null {
  const ids = parseJson(value)
  if (!Array.isArray(ids)) return null
  return ids.filter((id): id is string => typeof id === 'string')
}

function parseJson(value: Stored): unknown {
  if (typeof value !== 'string' || value.length > 1_000_000) return null
  try {
    return JSON.parse(value) as unknown
  } catch {
    return null
  }
}

/** The first characters of a text, or of one whose first `START_BYTES` bytes were read. */
export function toStart(start: Buffer | string | null, encoding: Encoding): string {
  if (start === null) return ''
  const text = typeof start === 'string' ? start : decode(start, encoding)
  // Most texts are shorter than this or need no cutting between surrogates.
  if (text.length <= START_CHARACTERS) return text
  return Array.from(text).slice(0, START_CHARACTERS).join('')
}

/** One row's piece of a long value: `chunk` has up to 4 bytes more than wanted, to see where a character ends. */
export interface StoredChunk {
  readonly chunk: Buffer | null
  readonly bytes: number | null
  readonly storage: string
}

/** Bytes to read for a part of `maxBytes`. */
export function chunkBytes(maxBytes: number): number {
  return maxBytes + 4
}

/** Cuts a chunk between characters. */
export function toTextPart(
  stored: StoredChunk,
  at: { offsetBytes: number; maxBytes: number; encoding: Encoding },
): TextPart {
  const chunk = stored.chunk ?? Buffer.alloc(0)
  const totalBytes = stored.bytes ?? 0
  const end = chunk.length <= at.maxBytes ? chunk.length : cutBefore(chunk, at)
  const nextOffset = at.offsetBytes + end
  const part = chunk.subarray(0, end)
  return {
    text: decode(part, at.encoding),
    offsetBytes: at.offsetBytes,
    nextOffsetBytes: nextOffset < totalBytes && end > 0 ? nextOffset : null,
    totalBytes,
    hasInvalidUtf8: !isValid(part, at.encoding),
    storage: stored.storage,
  }
}

function cutBefore(chunk: Buffer, at: { maxBytes: number; encoding: Encoding }): number {
  if (at.encoding !== 'utf-8') return cutBeforeUtf16(chunk, at.maxBytes, at.encoding)
  for (let end = at.maxBytes; end > at.maxBytes - 4 && end > 0; end--) {
    // The byte after the cut must begin a character, not continue one.
    if (((chunk[end] ?? 0) & 0xc0) !== 0x80) return end
  }
  return at.maxBytes
}

function cutBeforeUtf16(chunk: Buffer, maxBytes: number, encoding: Encoding): number {
  const end = maxBytes - (maxBytes % 2)
  const unit = encoding === 'utf-16le' ? chunk.readUInt16LE(end) : chunk.readUInt16BE(end)
  return unit >= 0xdc00 && unit <= 0xdfff ? end - 2 : end
}

export function decode(bytes: Buffer, encoding: Encoding): string {
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes)
}

function isValid(bytes: Buffer, encoding: Encoding): boolean {
  try {
    new TextDecoder(encoding, { ignoreBOM: true, fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** A name inside SQL; only for names read from the schema. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

const RAW_TEXT_CHARACTERS = 4000
const RAW_BLOB_BYTES = 64

/** SQL columns that read one unknown column without losing a digit; `n` numbers it. */
export function rawColumnSql(name: string, n: number): string {
  const column = quoteName(name)
  return `typeof(${column}) as t${n}, octet_length(${column}) as b${n},
    case when typeof(${column}) in ('text', 'blob')
      then substr(cast(${column} as blob), 1, ${RAW_TEXT_CHARACTERS * 4}) else ${column} end as v${n}`
}

/** Reads what `rawColumnSql` selected; integers must have been read as bigints. */
export function toRawColumn(
  row: Readonly<Record<string, Stored>>,
  name: string,
  at: { n: number; encoding: Encoding },
): RawColumn {
  const storage = toText(row[`t${at.n}`] ?? null)
  const bytes = row[`b${at.n}`] ?? null
  return {
    name,
    storage,
    text: rawText(row[`v${at.n}`] ?? null, storage, at.encoding),
    bytes: bytes === null ? null : Number(bytes),
  }
}

function rawText(value: Stored, storage: string, encoding: Encoding): string | null {
  if (value === null) return null
  if (typeof value === 'number') return realText(value)
  if (!Buffer.isBuffer(value)) return value.toString()
  if (storage === 'text') return decode(value, encoding).slice(0, RAW_TEXT_CHARACTERS)
  const hex = value.subarray(0, RAW_BLOB_BYTES).toString('hex')
  return value.length > RAW_BLOB_BYTES ? `${hex}…` : hex
}

/** The shortest digits that read back as the same real number. */
function realText(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf'
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value)
}
