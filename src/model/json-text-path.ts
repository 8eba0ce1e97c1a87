import { NODE, rawKey } from './json-text.ts'
import type { JsonDocument } from './json-text.ts'
import { decodeString } from './json-text-string.ts'

const PLAIN_KEY = /^[A-Za-z_$][A-Za-z0-9_$]*$/

/** The place of a node, `$.a.b[3]["weird key"]`. A key that is not a plain name stands as it is written. */
export function pathOf(document: JsonDocument, node: number): string {
  const steps: string[] = []
  for (let at = node; at > 0; at = document.parent[at] ?? 0) steps.push(stepTo(document, at))
  return `$${steps.toReversed().join('')}`
}

function stepTo(document: JsonDocument, node: number): string {
  const parent = document.parent[node] ?? 0
  if (document.kind[parent] === NODE.array) return `[${positionOf(document, parent, node)}]`
  const raw = rawKey(document, node) ?? '""'
  const key = decodeString(raw)
  return PLAIN_KEY.test(key) ? `.${key}` : `[${raw}]`
}

function positionOf(document: JsonDocument, parent: number, node: number): number {
  let position = 0
  for (let at = parent + 1; at >= 0 && at < node; at = document.next[at] ?? -1) position += 1
  return position
}
