import {
  NO_WORK,
  pendingOf,
  SESSION_CHIPS,
  type SessionChip,
  type SessionSort,
  type WorkCounts,
} from '../model/session.ts'
import type { ListedSession } from './queries/sessions.ts'

/** A session of the list with the work known of it; it stands at `place` in the database's order. */
export interface OrderedSession {
  readonly session: ListedSession
  readonly work: WorkCounts
  readonly place: number
}

export function toOrdered(
  sessions: readonly ListedSession[],
  work: ReadonlyMap<string, WorkCounts>,
): OrderedSession[] {
  return sessions.map((session, place) => ({
    session,
    work: work.get(session.id) ?? NO_WORK,
    place,
  }))
}

/** Matches anywhere in the id, ignoring case. */
export function withText(sessions: readonly OrderedSession[], text: string): OrderedSession[] {
  if (text === '') return [...sessions]
  const wanted = text.toLowerCase()
  return sessions.filter(({ session }) => session.id.toLowerCase().includes(wanted))
}

const HAS_CHIP: Readonly<Record<SessionChip, (session: OrderedSession) => boolean>> = {
  dead: ({ work }) => work.dead > 0,
  pending: ({ work }) => pendingOf(work) > 0,
  running: ({ work }) => work.running > 0,
  expired: ({ work }) => work.expired > 0,
  blocked: ({ work }) => work.blocked > 0,
  retrying: ({ work }) => work.retrying > 0,
  cleared: ({ session }) => session.clearIndex > 0,
}

/** Sessions that have every one of the chips. */
export function withChips(
  sessions: readonly OrderedSession[],
  chips: readonly SessionChip[],
): OrderedSession[] {
  return sessions.filter((session) => chips.every((chip) => HAS_CHIP[chip](session)))
}

export function countChips(sessions: readonly OrderedSession[]): Record<SessionChip, number> {
  const counts = {
    dead: 0,
    pending: 0,
    running: 0,
    expired: 0,
    blocked: 0,
    retrying: 0,
    cleared: 0,
  }
  for (const session of sessions) {
    if (session.work === NO_WORK) {
      if (HAS_CHIP.cleared(session)) counts.cleared += 1
      continue
    }
    for (const chip of SESSION_CHIPS) if (HAS_CHIP[chip](session)) counts[chip] += 1
  }
  return counts
}

const SORT_VALUE: Readonly<Record<SessionSort, (session: OrderedSession) => number>> = {
  activity: ({ session }) => session.lastActivityAt ?? Number.NEGATIVE_INFINITY,
  id: ({ place }) => place,
  dead: ({ work }) => work.dead,
  pending: ({ work }) => pendingOf(work),
  live: ({ session }) => session.head - session.clearIndex,
}

/** Ties: the most recent first, then the database's order. Values are read once: comparing asks for them very often. */
export function sortSessions(
  sessions: readonly OrderedSession[],
  sort: SessionSort,
  direction: 'asc' | 'desc',
): OrderedSession[] {
  const sign = direction === 'asc' ? 1 : -1
  const value = new Float64Array(sessions.length)
  const activity = new Float64Array(sessions.length)
  const place = new Uint32Array(sessions.length)
  for (const [n, session] of sessions.entries()) {
    value[n] = sign * SORT_VALUE[sort](session)
    activity[n] = SORT_VALUE.activity(session)
    place[n] = session.place
  }
  return [...sessions.keys()]
    .toSorted(
      (a, b) =>
        compare(value[a]!, value[b]!) ||
        compare(activity[b]!, activity[a]!) ||
        place[a]! - place[b]!,
    )
    .map((n) => sessions[n]!)
}

function compare(a: number, b: number): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
