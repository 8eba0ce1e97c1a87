/** Widths in pixels: the list on a wide and on a narrow window, less its padding and the gap of the columns. */
const ROOM = { wide: 288 - 33, narrow: 256 - 33 } as const
/** Measures of the second line of a row (sessions.css): one character on average, a shape, a gap. */
const CHARACTER = 6
const SHAPE = 13
const GAP = 9

export interface WorkItem {
  /** As shown, with `≥ ` where it is a lower bound. */
  readonly count: string
  /** What follows the number. */
  readonly word: string
}

/** Where the word of an item is shown; where it is not, shape, number and colour stay. */
export type ShownFrom = 'narrow' | 'wide' | 'never'

/**
 * Which words of a row have room, so that none is cut in the middle: the last ones go first. `before` and
 * `beside` are the texts at the beginning and at the end of the line. One answer an item, in order.
 */
export function fitWords(
  before: string,
  items: readonly WorkItem[],
  beside: string,
): readonly ShownFrom[] {
  const wide = countWords(items, ROOM.wide - widthOf(before) - widthOf(beside))
  const narrow = countWords(items, ROOM.narrow - widthOf(before) - widthOf(beside))
  return items.map((_, place) => (place < narrow ? 'narrow' : place < wide ? 'wide' : 'never'))
}

function widthOf(text: string): number {
  return text.length * CHARACTER
}

function countWords(items: readonly WorkItem[], room: number): number {
  let left = room
  for (const { count } of items) left -= GAP + SHAPE + widthOf(count)
  for (const [place, { word }] of items.entries()) {
    left -= widthOf(` ${word}`)
    if (left < 0) return place
  }
  return items.length
}
