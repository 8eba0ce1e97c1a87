/** Indexes of one block; the unit in which a session's events are read. */
export const BLOCK = 100

export function blockOf(index: number): number {
  return Math.floor((index - 1) / BLOCK)
}
