import type { EventRow } from '../model/event.ts'

/** More than any row shows; a page of names without end would not fit into a message. */
const LONGEST = 2000

/** A name for a list: cut where nobody reads on, and marked. Never used to find anything. */
export function toListName(name: string): string {
  if (name.length <= LONGEST) return name
  const start = name.slice(0, LONGEST)
  return `${start.isWellFormed() ? start : start.slice(0, -1)}…`
}

/** A row as a list gets it. */
export function withListNames(row: EventRow): EventRow {
  return {
    ...row,
    id: toListName(row.id),
    type: toListName(row.type),
    lane: row.lane === null ? null : toListName(row.lane),
    claimHolder: row.claimHolder === null ? null : toListName(row.claimHolder),
  }
}
