/** Kinds of a token. Every character of a text belongs to exactly one token. */
export const TOKEN = {
  end: 0,
  space: 1,
  openObject: 2,
  closeObject: 3,
  openArray: 4,
  closeArray: 5,
  colon: 6,
  comma: 7,
  string: 8,
  number: 9,
  true: 10,
  false: 11,
  null: 12,
  /** From here on the text is not JSON; reaches to its end. */
  broken: 13,
} as const
export type TokenKind = (typeof TOKEN)[keyof typeof TOKEN]

/** Where and why a text is not JSON. */
export interface JsonProblem {
  /** UTF-16 code units from the beginning of the text. */
  readonly offset: number
  /** One short sentence without a full stop. */
  readonly message: string
}

/** Reused from call to call: a text of 25 MB has millions of tokens. */
export interface Token {
  kind: TokenKind
  start: number
  end: number
  /** Set for `broken` only. */
  problem: JsonProblem | null
}

export function emptyToken(): Token {
  return { kind: TOKEN.end, start: 0, end: 0, problem: null }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const ZERO = 0x30
const MINUS = 0x2d
const DOT = 0x2e

const PUNCTUATION = new Map<number, TokenKind>([
  [0x7b, TOKEN.openObject],
  [0x7d, TOKEN.closeObject],
  [0x5b, TOKEN.openArray],
  [0x5d, TOKEN.closeArray],
  [0x3a, TOKEN.colon],
  [0x2c, TOKEN.comma],
])
const WORDS = [
  { word: 'true', kind: TOKEN.true },
  { word: 'false', kind: TOKEN.false },
  { word: 'null', kind: TOKEN.null },
] as const

/** Reads the token that begins at `at` into `token`. At the end of the text: kind `end`, empty. */
export function readToken(text: string, at: number, token: Token): void {
  token.start = at
  token.problem = null
  if (at >= text.length) {
    token.kind = TOKEN.end
    token.end = at
    return
  }
  const code = text.charCodeAt(at)
  const mark = PUNCTUATION.get(code)
  if (mark !== undefined) finish(token, mark, at + 1)
  else if (code === QUOTE) readString(text, at, token)
  else if (isSpace(code)) finish(token, TOKEN.space, skipSpace(text, at))
  else if (code === MINUS || isDigit(code)) readNumber(text, at, token)
  else readWord(text, at, token)
}

function finish(token: Token, kind: TokenKind, end: number): void {
  token.kind = kind
  token.end = end
}

function breakAt(text: string, token: Token, offset: number, message: string): void {
  token.kind = TOKEN.broken
  token.end = text.length
  token.problem = { offset, message }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1
  return at
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 0x39
}

function skipDigits(text: string, from: number): number {
  let at = from
  while (at < text.length && isDigit(text.charCodeAt(at))) at += 1
  return at
}

function readString(text: string, from: number, token: Token): void {
  let at = from + 1
  for (;;) {
    if (at >= text.length) return breakAt(text, token, text.length, 'The text ends inside a string')
    const code = text.charCodeAt(at)
    if (code === QUOTE) return finish(token, TOKEN.string, at + 1)
    if (code < 0x20) return breakAt(text, token, at, 'A control character stands bare in a string')
    if (code !== BACKSLASH) at += 1
    else {
      const length = escapeLength(text, at)
      if (length === 0) return breakAt(text, token, at, 'This escape does not exist in JSON')
      at += length
    }
  }
}

/** Length of the escape that begins with the backslash at `at`; 0 when it is not one. */
function escapeLength(text: string, at: number): number {
  const letter = text.charAt(at + 1)
  if (letter === 'u') {
    for (let digit = at + 2; digit < at + 6; digit += 1) {
      if (!isHexDigit(text.charCodeAt(digit))) return 0
    }
    return 6
  }
  return letter !== '' && '"\\/bfnrt'.includes(letter) ? 2 : 0
}

function isHexDigit(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)
}

function readNumber(text: string, from: number, token: Token): void {
  let at = text.charCodeAt(from) === MINUS ? from + 1 : from
  const whole = at
  at = text.charCodeAt(at) === ZERO ? at + 1 : skipDigits(text, at)
  if (at === whole) return breakAt(text, token, at, 'A number needs a digit here')
  if (text.charCodeAt(at) === DOT) {
    const fraction = at + 1
    at = skipDigits(text, fraction)
    if (at === fraction) return breakAt(text, token, at, 'A number needs a digit here')
  }
  const exponent = text.charAt(at)
  if (exponent === 'e' || exponent === 'E') {
    const sign = text.charAt(at + 1)
    const digits = sign === '+' || sign === '-' ? at + 2 : at + 1
    at = skipDigits(text, digits)
    if (at === digits) return breakAt(text, token, at, 'A number needs a digit here')
  }
  return finish(token, TOKEN.number, at)
}

function readWord(text: string, from: number, token: Token): void {
  for (const { word, kind } of WORDS) {
    if (text.startsWith(word, from)) return finish(token, kind, from + word.length)
  }
  return breakAt(text, token, from, 'This is not the beginning of a JSON value')
}
