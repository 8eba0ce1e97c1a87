import type { VisibleLine } from './visible-rows.ts'

interface Range {
  readonly newest: number
  readonly oldest: number
}

/**
 * Which element draws which line. An event keeps its element while the list moves. Where none of the events
 * that were drawn is left, the new ones take over their elements in the same order: a new text in an old
 * element costs a fifth of a new element.
 */
export class RowKeys {
  #drawn: Range | null = null
  #offset = 0

  /** For each of the lines, in order; no two are the same. */
  keysOf(lines: readonly VisibleLine[]): string[] {
    const offset = this.#offsetFor(rangeOf(lines))
    return lines.map(({ row, line }) =>
      line.kind === 'event' ? `#${line.index - offset}` : `${line.kind}:${row}`,
    )
  }

  /** These are drawn now. */
  remember(lines: readonly VisibleLine[]): void {
    const range = rangeOf(lines)
    this.#offset = this.#offsetFor(range)
    this.#drawn = range ?? this.#drawn
  }

  #offsetFor(range: Range | null): number {
    const before = this.#drawn
    if (range === null || before === null) return this.#offset
    const isOverlapping = range.newest >= before.oldest && range.oldest <= before.newest
    return isOverlapping ? this.#offset : this.#offset + range.newest - before.newest
  }
}

/** null: no event among them. */
function rangeOf(lines: readonly VisibleLine[]): Range | null {
  const indexes = lines.flatMap(({ line }) => (line.kind === 'event' ? [line.index] : []))
  const [newest, oldest] = [indexes[0], indexes.at(-1)]
  return newest === undefined || oldest === undefined ? null : { newest, oldest }
}
