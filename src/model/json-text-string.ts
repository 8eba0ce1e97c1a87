const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** A piece of a string's meaning, and how far in the text it was read. */
export interface DecodedPiece {
  readonly text: string
  /** Offset in the JSON text of the first character that was not read; the closing quote when all was. */
  readonly next: number
}

/**
 * The meaning of a valid JSON string, read from `at` (behind the opening quote, or the `next` of an
 * earlier piece) up to its closing quote at `close`, at most about `limit` characters. Never cuts
 * inside an escape or between the halves of a surrogate pair.
 */
export function decodePiece(text: string, at: number, close: number, limit: number): DecodedPiece {
  let decoded = ''
  let from = at
  while (from < close && decoded.length < limit) {
    const most = Math.min(close, from + limit - decoded.length)
    const escape = indexOfBackslash(text, from, most)
    if (escape > from) {
      decoded += text.slice(from, escape)
      from = escape
    } else {
      const [meaning, length] = decodeEscape(text, from)
      decoded += meaning
      from += length
    }
  }
  return completePair(text, decoded, from, close)
}

function indexOfBackslash(text: string, from: number, to: number): number {
  let at = from
  while (at < to && text.charCodeAt(at) !== 0x5c) at += 1
  return at
}

function decodeEscape(text: string, at: number): readonly [meaning: string, length: number] {
  const letter = text.charAt(at + 1)
  if (letter !== 'u') return [SHORT_ESCAPES[letter] ?? '', 2]
  return [String.fromCharCode(Number.parseInt(text.slice(at + 2, at + 6), 16)), 6]
}

function completePair(text: string, decoded: string, next: number, close: number): DecodedPiece {
  if (next >= close || !isHighSurrogate(decoded.charCodeAt(decoded.length - 1))) {
    return { text: decoded, next }
  }
  const [half, length] =
    text.charAt(next) === '\\' ? decodeEscape(text, next) : ([text.charAt(next), 1] as const)
  const code = half.charCodeAt(0)
  if (code < 0xdc00 || code > 0xdfff) return { text: decoded, next }
  return { text: decoded + half, next: next + length }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

/** The meaning of a whole valid JSON string token, quotes included in `raw`. */
export function decodeString(raw: string): string {
  return decodePiece(raw, 1, raw.length - 1, raw.length).text
}
