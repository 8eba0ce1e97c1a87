import type { SessionChip } from '../model/session.ts'
import { countChips, OrderedSessions, placesWithText } from './session-order.ts'
import type { SessionIndex } from './session-index.ts'
import type { WorkIndex } from './work-index.ts'
import type { WorkMark } from './work-table.ts'

type Chips = Readonly<Record<SessionChip, number>>

interface Known {
  readonly sessions: Pick<SessionIndex, 'table' | 'inOrder'>
  readonly work: Pick<WorkIndex, 'numberOf' | 'countOf' | 'isSame' | 'mark'>
}

interface Counted {
  readonly text: string
  readonly sessions: { readonly table: object; readonly changes: number }
  readonly work: WorkMark
  readonly chips: Chips
}

/**
 * How many sessions have events of each state. The screens ask at every change, ten times a second, and what is
 * known changes once a second at most: what was counted is counted again only when it may be different.
 */
export class KnownChips {
  readonly #known: Known
  readonly #now: () => number
  #last: Counted | null = null

  /** `now`: the database's clock, epoch ms. */
  constructor(known: Known, now: () => number) {
    this.#known = known
    this.#now = now
  }

  /** Of the sessions whose id has the text anywhere, ignoring case. */
  count(text: string): Chips {
    if (this.#last === null || !this.#isStill(this.#last, text)) this.#last = this.#count(text)
    return this.#last.chips
  }

  #isStill({ text, sessions, work }: Counted, wanted: string): boolean {
    const { table } = this.#known.sessions
    return (
      text === wanted &&
      sessions.table === table &&
      sessions.changes === table.changes &&
      this.#known.work.isSame(work) &&
      this.#now() < work.holdUntil
    )
  }

  #count(text: string): Counted {
    const { sessions, work } = this.#known
    const { table } = sessions
    const ordered = new OrderedSessions(table, sessions.inOrder(), work)
    const chips = countChips(ordered, placesWithText(ordered, text))
    return { text, sessions: { table, changes: table.changes }, work: work.mark(), chips }
  }
}
