import type { SearchRequest, SearchSnippet } from '../model/search.ts'

/** Which letters a database takes for the same when case does not matter. */
export type Folding = 'ascii' | 'unicode'

const SNIPPET = 200
/** So much of a snippet stands before the match, where it can. */
const BEFORE = 60

/** For `like … escape '!'`: the text anywhere. */
export function toLikePattern(text: string): string {
  return `%${text.replaceAll(/[!%_]/g, '!$&')}%`
}

/** For `glob`: the text anywhere, its letters as they are. */
export function toGlobPattern(text: string): string {
  return `*${text.replaceAll(/[*?[]/g, '[$&]')}*`
}

/** An event type as it was asked for: exactly that one, or all that begin with what stands before a final `*`. */
export function toTypeFilter(
  type: string,
): { readonly exact: string } | { readonly prefix: string } {
  return type.endsWith('*') ? { prefix: type.slice(0, -1) } : { exact: type }
}

/** Finds in a text what the database found; global, so that it can go on. */
export function makeMatcher(
  { text, matchCase }: Pick<SearchRequest, 'text' | 'matchCase'>,
  folding: Folding,
): RegExp {
  // Nothing was looked for but the type: there is nothing to point at.
  if (text === '') return /(?!)/gu
  const plain = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  if (matchCase) return new RegExp(plain, 'gu')
  if (folding === 'unicode') return new RegExp(plain, 'giu')
  return new RegExp(
    plain.replaceAll(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`),
    'gu',
  )
}

/** A piece of a stored text that is looked into. */
export interface SearchedText {
  readonly text: string
  /** Whether it begins, and ends, where the stored one does. */
  readonly isStart: boolean
  readonly isEnd: boolean
}

/** The text around the first match; null when the text is not in it. */
export function findSnippet(searched: SearchedText, matcher: RegExp): SearchSnippet | null {
  const first = matchesIn(searched.text, matcher).next()
  return first.done === true ? null : cutSnippet(searched, matcher, first.value)
}

/** The beginning of a text in which the database found what cannot be shown. */
export function startSnippet(searched: SearchedText, matcher: RegExp): SearchSnippet {
  return cutSnippet(searched, matcher, [0, 0])
}

function cutSnippet(
  { text, isStart, isEnd }: SearchedText,
  matcher: RegExp,
  [matchFrom, matchTo]: readonly [number, number],
): SearchSnippet {
  const room = SNIPPET - Math.min(SNIPPET, matchTo - matchFrom)
  const latest = Math.max(0, text.length - SNIPPET)
  // Near the end of the text what is not needed behind the match is shown before it.
  const wanted = Math.min(matchFrom - Math.min(BEFORE, room), latest)
  const from = afterPair(text, Math.max(0, Math.min(wanted, matchFrom)))
  const to = beforePair(text, Math.min(text.length, from + SNIPPET))
  const matches: [number, number][] = []
  for (const [start, end] of matchesIn(text, matcher, matchFrom, to)) {
    matches.push([start - from, Math.min(end, to) - from])
  }
  return {
    text: text.slice(from, to),
    matches,
    isCutBefore: from > 0 || !isStart,
    isCutAfter: to < text.length || !isEnd,
  }
}

function* matchesIn(
  text: string,
  matcher: RegExp,
  from = 0,
  before = text.length,
): Generator<[number, number], undefined> {
  matcher.lastIndex = from
  for (let found = matcher.exec(text); found !== null; found = matcher.exec(text)) {
    if (found.index >= before) return
    yield [found.index, found.index + found[0].length]
  }
}

/** Not in the middle of a character that takes two units. */
function afterPair(text: string, at: number): number {
  return isWithinPair(text, at) ? at + 1 : at
}

function beforePair(text: string, at: number): number {
  return isWithinPair(text, at) ? at - 1 : at
}

function isWithinPair(text: string, at: number): boolean {
  if (at === 0 || at >= text.length) return false
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1))
}
