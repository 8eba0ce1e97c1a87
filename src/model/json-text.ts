import { emptyToken, readToken, TOKEN } from './json-text-lexer.ts'
import type { JsonProblem, Token } from './json-text-lexer.ts'

export type { JsonProblem } from './json-text-lexer.ts'

/** Kinds of a node. */
export const NODE = {
  object: 1,
  array: 2,
  string: 3,
  number: 4,
  true: 5,
  false: 6,
  null: 7,
} as const
export type NodeKind = (typeof NODE)[keyof typeof NODE]

/**
 * The values of a JSON text in document order, as flat arrays: node 0 is the whole value, the first
 * child of a non-empty container n is n + 1, `next` leads from sibling to sibling. Nothing of the
 * text is interpreted: numbers, key order and duplicate keys stay as they are written. Holds
 * 25 bytes a node and can be transferred between threads.
 */
export interface JsonNodes {
  /** Number of nodes; 0 when the text has no value before its first problem. */
  readonly size: number
  readonly kind: Uint8Array<ArrayBuffer>
  /** Offsets in UTF-16 code units; a value is text.slice(start, end). */
  readonly start: Int32Array<ArrayBuffer>
  readonly end: Int32Array<ArrayBuffer>
  /** −1 for the root. */
  readonly parent: Int32Array<ArrayBuffer>
  /** Next sibling, −1 for the last one. */
  readonly next: Int32Array<ArrayBuffer>
  /** Number of children; 0 for what is not a container. */
  readonly count: Int32Array<ArrayBuffer>
  /** Where the member's key begins (its quote), −1 outside objects. */
  readonly keyStart: Int32Array<ArrayBuffer>
  /** Why and where reading ended early; what stood before it is in the arrays. */
  readonly problem: JsonProblem | null
  /** With a problem: the innermost container that was open there, −1 when none was. */
  readonly openAtProblem: number
  /** Where the text begins that is in no node: behind the last complete member or value, or the mark after it. */
  readonly rest: number
}

export interface JsonDocument extends JsonNodes {
  readonly text: string
}

/** Reads a text. Never throws; linear, without recursion. */
export function parseJsonText(text: string): JsonDocument {
  return { text, ...readJsonNodes(text) }
}

/** As `parseJsonText`, without the text: what a worker sends back. */
export function readJsonNodes(text: string): JsonNodes {
  const builder = new Builder(text)
  const token = emptyToken()
  for (;;) {
    readToken(text, token.end, token)
    if (token.kind === TOKEN.space) continue
    if (!builder.take(token)) return builder.finish()
  }
}

type Expecting = 'value' | 'value-or-close' | 'key' | 'key-or-close' | 'colon' | 'comma' | 'nothing'

const EXPECTED: Readonly<Record<Expecting, string>> = {
  value: 'A value is expected here',
  'value-or-close': 'A value or ] is expected here',
  key: 'A key in quotes is expected here',
  'key-or-close': 'A key in quotes or } is expected here',
  colon: 'A colon is expected here',
  comma: 'A comma or the end of the list is expected here',
  nothing: 'Nothing is expected after the value',
}

const VALUE_KIND: Readonly<Partial<Record<number, NodeKind>>> = {
  [TOKEN.openObject]: NODE.object,
  [TOKEN.openArray]: NODE.array,
  [TOKEN.string]: NODE.string,
  [TOKEN.number]: NODE.number,
  [TOKEN.true]: NODE.true,
  [TOKEN.false]: NODE.false,
  [TOKEN.null]: NODE.null,
}

class Builder {
  private size = 0
  private kind: Uint8Array<ArrayBuffer>
  private start: Int32Array<ArrayBuffer>
  private end: Int32Array<ArrayBuffer>
  private parent: Int32Array<ArrayBuffer>
  private next: Int32Array<ArrayBuffer>
  private count: Int32Array<ArrayBuffer>
  private keyStart: Int32Array<ArrayBuffer>
  private problem: JsonProblem | null = null
  private expecting: Expecting = 'value'
  /** The innermost open container, −1 outside of all. */
  private open = -1
  /** The last child so far of each open container, by depth. */
  private readonly lastChild: number[] = [-1]
  private key = -1
  private rest = 0

  constructor(text: string) {
    const capacity = 16 + (text.length >> 4)
    this.kind = new Uint8Array(capacity)
    this.start = new Int32Array(capacity)
    this.end = new Int32Array(capacity)
    this.parent = new Int32Array(capacity)
    this.next = new Int32Array(capacity)
    this.count = new Int32Array(capacity)
    this.keyStart = new Int32Array(capacity)
  }

  /** Takes the next token that is not space; false when reading is over. */
  take(token: Token): boolean {
    if (token.kind === TOKEN.broken) return this.fail(token.problem)
    if (token.kind === TOKEN.end) {
      if (this.expecting === 'nothing') return false
      return this.fail({ offset: token.start, message: 'The text ends before the value does' })
    }
    if (this.accepts(token)) {
      this.rest = token.end
      return true
    }
    return this.fail({ offset: token.start, message: EXPECTED[this.expecting] })
  }

  private accepts(token: Token): boolean {
    switch (this.expecting) {
      case 'value-or-close':
        return token.kind === TOKEN.closeArray ? this.close(token) : this.value(token)
      case 'value':
        return this.value(token)
      case 'key-or-close':
        return token.kind === TOKEN.closeObject ? this.close(token) : this.takeKey(token)
      case 'key':
        return this.takeKey(token)
      case 'colon':
        return this.takeColon(token)
      case 'comma':
        return this.commaOrClose(token)
      case 'nothing':
      default:
        return false
    }
  }

  private value(token: Token): boolean {
    const kind = VALUE_KIND[token.kind]
    if (kind === undefined) return false
    const node = this.add(kind, token)
    if (kind === NODE.object || kind === NODE.array) {
      this.open = node
      this.lastChild.push(-1)
      this.expecting = kind === NODE.object ? 'key-or-close' : 'value-or-close'
    } else {
      this.expecting = this.open < 0 ? 'nothing' : 'comma'
    }
    return true
  }

  private add(kind: NodeKind, token: Token): number {
    const node = this.size
    if (node === this.kind.length) this.resize(node * 2)
    this.size += 1
    this.kind[node] = kind
    this.start[node] = token.start
    this.end[node] = token.end
    this.parent[node] = this.open
    this.next[node] = -1
    this.keyStart[node] = this.key
    this.key = -1
    const depth = this.lastChild.length - 1
    const before = this.lastChild[depth] ?? -1
    if (before >= 0) this.next[before] = node
    this.lastChild[depth] = node
    if (this.open >= 0) this.count[this.open] = (this.count[this.open] ?? 0) + 1
    return node
  }

  private takeKey(token: Token): boolean {
    if (token.kind !== TOKEN.string) return false
    this.key = token.start
    this.expecting = 'colon'
    return true
  }

  private takeColon(token: Token): boolean {
    if (token.kind !== TOKEN.colon) return false
    this.expecting = 'value'
    return true
  }

  private commaOrClose(token: Token): boolean {
    const isObject = this.kind[this.open] === NODE.object
    if (token.kind === TOKEN.comma) {
      this.expecting = isObject ? 'key' : 'value'
      return true
    }
    if (token.kind !== (isObject ? TOKEN.closeObject : TOKEN.closeArray)) return false
    return this.close(token)
  }

  private close(token: Token): boolean {
    this.end[this.open] = token.end
    this.open = this.parent[this.open] ?? -1
    this.lastChild.pop()
    this.expecting = this.open < 0 ? 'nothing' : 'comma'
    return true
  }

  private fail(problem: JsonProblem | null): false {
    this.problem = problem
    const offset = problem?.offset ?? 0
    for (let node = this.open; node >= 0; node = this.parent[node] ?? -1) this.end[node] = offset
    return false
  }

  private resize(length: number): void {
    this.kind = resized(this.kind, length, Uint8Array)
    this.start = resized(this.start, length, Int32Array)
    this.end = resized(this.end, length, Int32Array)
    this.parent = resized(this.parent, length, Int32Array)
    this.next = resized(this.next, length, Int32Array)
    this.count = resized(this.count, length, Int32Array)
    this.keyStart = resized(this.keyStart, length, Int32Array)
  }

  finish(): JsonNodes {
    this.resize(this.size)
    const { size, kind, start, end, parent, next, count, keyStart, problem, open } = this
    const rest = this.key >= 0 ? this.key : this.rest
    const nodes = { size, kind, start, end, parent, next, count, keyStart }
    return { ...nodes, problem, openAtProblem: open, rest }
  }
}

function resized<T extends Uint8Array<ArrayBuffer> | Int32Array<ArrayBuffer>>(
  array: T,
  length: number,
  make: new (length: number) => T,
): T {
  const copy = new make(length)
  copy.set(length < array.length ? array.subarray(0, length) : array)
  return copy
}

export function isContainer(nodes: JsonNodes, node: number): boolean {
  const kind = nodes.kind[node]
  return kind === NODE.object || kind === NODE.array
}

/** Whether a container was still open where the text stopped being JSON. */
export function isUnfinished(nodes: JsonNodes, node: number): boolean {
  // What was closed right before the problem ends there too, but stands behind what it is in.
  return (
    nodes.problem !== null &&
    node <= nodes.openAtProblem &&
    nodes.end[node] === nodes.problem.offset
  )
}

/** The children of a container in order: O(children), however deep they are. */
export function* childrenOf(nodes: JsonNodes, node: number): Generator<number> {
  if ((nodes.count[node] ?? 0) === 0) return
  for (let child = node + 1; child >= 0; child = nodes.next[child] ?? -1) yield child
}

/** A value exactly as it is written. */
export function rawText(document: JsonDocument, node: number): string {
  return document.text.slice(document.start[node], document.end[node])
}

/** A member's key exactly as it is written, with its quotes; null outside objects. */
export function rawKey(document: JsonDocument, node: number): string | null {
  const start = document.keyStart[node] ?? -1
  if (start < 0) return null
  const token = emptyToken()
  readToken(document.text, start, token)
  return document.text.slice(start, token.end)
}
