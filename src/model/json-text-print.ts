import { emptyToken, readToken, TOKEN } from './json-text-lexer.ts'

/** Deeper levels are not indented further: 10,000 nested lists would become 200 MB of spaces. */
const DEEPEST_INDENT = 50

/**
 * The same JSON on indented lines; every token stays as it is written. A text that is not JSON is
 * indented up to where it breaks and continues unchanged from there.
 */
export function prettyPrint(text: string, indent = '  '): string {
  const lines = Array.from(
    { length: DEEPEST_INDENT + 1 },
    (_, depth) => `\n${indent.repeat(depth)}`,
  )
  const lineAt = (depth: number) => lines[Math.min(depth, DEEPEST_INDENT)] ?? '\n'
  const token = emptyToken()
  let out = ''
  let depth = 0
  let isJustOpened = false
  for (;;) {
    readToken(text, token.end, token)
    const { kind } = token
    if (kind === TOKEN.end) return out
    if (kind === TOKEN.space) continue
    const isClose = kind === TOKEN.closeObject || kind === TOKEN.closeArray
    if (isClose) depth = Math.max(0, depth - 1)
    if (isClose !== isJustOpened) out += lineAt(depth)
    out += text.slice(token.start, token.end)
    isJustOpened = kind === TOKEN.openObject || kind === TOKEN.openArray
    if (isJustOpened) depth += 1
    if (kind === TOKEN.comma) out += lineAt(depth)
    if (kind === TOKEN.colon) out += ' '
  }
}

/** Line and column of an offset, counted from 1; columns in UTF-16 code units. */
export function placeOf(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  let line = 1
  let lineStart = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1
    lineStart = at + 1
  }
  return { line, column: offset - lineStart + 1 }
}
