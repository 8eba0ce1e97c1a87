import type { SearchSnippet } from '../../../src/model/search.ts'
import { toOneLine } from '../../lib/visible-text.ts'

export interface SnippetPart {
  readonly text: string
  readonly isMatch: boolean
}

/** A line has room for so much before its first match; the rest of the snippet is on hover. */
const BEFORE = 24

/** A snippet as one line: its parts in order, what cannot be seen written as an escape. */
export function toSnippetParts(snippet: SearchSnippet, before = BEFORE): SnippetPart[] {
  const { text, matches, isCutBefore, isCutAfter } = snippet
  const from = startOf(text, matches[0]?.[0] ?? 0, before)
  const parts: SnippetPart[] = []
  const push = (part: string, isMatch: boolean): void => {
    if (part !== '') parts.push({ text: toOneLine(part), isMatch })
  }
  if (from > 0 || isCutBefore) parts.push({ text: '…', isMatch: false })
  let at = from
  for (const [start, end] of matches) {
    push(text.slice(at, start), false)
    push(text.slice(start, end), true)
    at = end
  }
  push(text.slice(at), false)
  if (isCutAfter) parts.push({ text: '…', isMatch: false })
  return parts
}

function startOf(text: string, match: number, before: number): number {
  const from = Math.max(0, match - before)
  const isInPair = /^[\uDC00-\uDFFF]/.test(text.slice(from, from + 1))
  return isInPair ? from + 1 : from
}
