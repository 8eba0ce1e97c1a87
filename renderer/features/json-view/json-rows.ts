import { childrenOf, isContainer, isUnfinished, NODE } from '../../../src/model/json-text.ts'
import type { JsonDocument } from '../../../src/model/json-text.ts'
import { decodePiece } from '../../../src/model/json-text-string.ts'

/** One line of the tree. */
export type JsonRow =
  /** A scalar, an empty container, a closed container or a long string. */
  | { readonly kind: 'value'; readonly node: number; readonly depth: number }
  | { readonly kind: 'open'; readonly node: number; readonly depth: number }
  | { readonly kind: 'close'; readonly node: number; readonly depth: number }
  /** Some of the children of a large container: positions from … to, both inclusive. */
  | {
      readonly kind: 'group'
      readonly node: number
      readonly depth: number
      readonly from: number
      readonly to: number
      /** The child at position `from`. */
      readonly first: number
      readonly isOpen: boolean
    }
  /** A piece of a string that is shown in full: text offsets. */
  | {
      readonly kind: 'text'
      readonly node: number
      readonly depth: number
      readonly at: number
      readonly end: number
    }
  /** What is in no node: the text from where it is not JSON, or not loaded. */
  | { readonly kind: 'rest'; readonly node: number; readonly depth: number }

/** Open containers and strings by node number, open groups by `groupKey`. */
export type OpenParts = ReadonlySet<number | string>

/** More children than this are shown in groups of it. */
export const GROUP = 500
/** A string longer than this is cut until it is opened. */
export const SHORT_STRING = 280
/** Characters of one piece of an opened string. */
const PIECE = 2_000

export function groupKey(node: number, from: number, to: number): string {
  return `${node}:${from}:${to}`
}

/** Where a string's content ends: its closing quote. */
export function closingQuote(document: JsonDocument, node: number): number {
  return (document.end[node] ?? 1) - 1
}

/** Whether a string does not fit on its line. */
export function isLongString(document: JsonDocument, node: number): boolean {
  if (document.kind[node] !== NODE.string) return false
  const start = document.start[node] ?? 0
  const end = closingQuote(document, node)
  if (end - start > SHORT_STRING) return true
  return document.text.slice(start, end).includes('\\n')
}

/** The lines to draw: work is proportional to what is open, not to the document. */
export function toJsonRows(document: JsonDocument, open: OpenParts): JsonRow[] {
  const rows: JsonRow[] = []
  // A list of work, last first, instead of recursion: a document may be 10,000 levels deep.
  const work: (() => void)[] = []
  const later = (tasks: readonly (() => void)[]) => {
    for (const task of tasks.toReversed()) work.push(task)
  }
  const addNode = (node: number, depth: number): void => {
    if (!open.has(node)) rows.push({ kind: 'value', node, depth })
    else if (isContainer(document, node)) {
      rows.push({ kind: 'open', node, depth })
      work.push(() => addEnd(node, depth))
      const last = (document.count[node] ?? 0) - 1
      addChildren({ node, depth: depth + 1, from: 0, to: last, first: node + 1 })
    } else {
      rows.push({ kind: 'value', node, depth })
      addText(document, node, depth, rows)
    }
  }
  const addEnd = (node: number, depth: number): void => {
    if (!isUnfinished(document, node)) rows.push({ kind: 'close', node, depth })
    else if (node === document.openAtProblem) rows.push({ kind: 'rest', node, depth: depth + 1 })
  }
  const addChildren = (range: ChildRange): void => {
    if (range.to - range.from < GROUP) {
      later(childrenIn(document, range).map((child) => () => addNode(child, range.depth)))
      return
    }
    later(groupsIn(document, range).map((group) => () => addGroup(group)))
  }
  const addGroup = (group: ChildRange): void => {
    const isOpen = open.has(groupKey(group.node, group.from, group.to))
    rows.push({ kind: 'group', ...group, isOpen })
    if (isOpen) addChildren({ ...group, depth: group.depth + 1 })
  }
  if (document.size > 0) addNode(0, 0)
  for (let task = work.pop(); task !== undefined; task = work.pop()) task()
  const isRestOutside = document.problem !== null && document.openAtProblem < 0
  if (isRestOutside && document.size > 0) rows.push({ kind: 'rest', node: 0, depth: 0 })
  return rows
}

interface ChildRange {
  readonly node: number
  readonly depth: number
  readonly from: number
  readonly to: number
  readonly first: number
}

function childrenIn(document: JsonDocument, { from, to, first }: ChildRange): number[] {
  const children: number[] = []
  for (let at = from, child = first; at <= to && child >= 0; at += 1) {
    children.push(child)
    child = document.next[child] ?? -1
  }
  return children
}

function groupsIn(document: JsonDocument, range: ChildRange): ChildRange[] {
  const total = range.to - range.from + 1
  let size = GROUP
  while (total / size > GROUP) size *= GROUP
  const groups: ChildRange[] = []
  let child = range.first
  for (let at = range.from; at <= range.to && child >= 0; at += 1) {
    if ((at - range.from) % size === 0) {
      groups.push({ ...range, from: at, to: Math.min(range.to, at + size - 1), first: child })
    }
    child = document.next[child] ?? -1
  }
  return groups
}

function addText(document: JsonDocument, node: number, depth: number, rows: JsonRow[]): void {
  const close = closingQuote(document, node)
  let at = (document.start[node] ?? 0) + 1
  while (at < close) {
    const { next } = decodePiece(document.text, at, close, PIECE)
    rows.push({ kind: 'text', node, depth: depth + 1, at, end: next })
    at = next
  }
}

/** Opens containers level by level as long as the lines stay within `budget`. */
export function openWithin(document: JsonDocument, budget: number): Set<number | string> {
  const open = new Set<number | string>()
  if (document.size === 0) return open
  let lines = 1
  let level = [0]
  while (level.length > 0) {
    const below: number[] = []
    for (const node of level) {
      const count = document.count[node] ?? 0
      if (count === 0 && !isUnfinished(document, node)) continue
      const added = Math.min(count, GROUP) + 1
      if (lines + added > budget && node !== 0) continue
      open.add(node)
      lines += added
      if (count <= GROUP) below.push(...childrenOf(document, node))
    }
    level = below
  }
  return open
}

/** Whether a line can be opened or closed. */
export function isOpenable(document: JsonDocument, row: JsonRow): boolean {
  if (row.kind === 'open' || row.kind === 'group') return true
  if (row.kind !== 'value') return false
  const { node } = row
  return (
    (document.count[node] ?? 0) > 0 || isUnfinished(document, node) || isLongString(document, node)
  )
}
