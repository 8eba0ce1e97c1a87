import { NumberList } from './columns.ts'
import { SESSION_CHIPS, type SessionChip, type SessionSort } from '../model/session.ts'
import type { SessionTable } from './session-table.ts'
import { sortNumbers } from './sort-numbers.ts'
import type { WorkState } from './work-counts.ts'
import type { WorkIndex } from './work-index.ts'

/** Sessions of a list with the work known of them, by their places in the database's order. Holds until the next await. */
export class OrderedSessions {
  readonly #table: SessionTable
  readonly #numbers: Uint32Array
  readonly #work: Pick<WorkIndex, 'numberOf' | 'countOf'>
  /** Numbers in the work; negative: none is known of the session. */
  readonly #workers: Int32Array

  constructor(
    table: SessionTable,
    numbers: Uint32Array,
    work: Pick<WorkIndex, 'numberOf' | 'countOf'>,
  ) {
    this.#table = table
    this.#numbers = numbers
    this.#work = work
    // `from` would first make a list of objects of it, here and below.
    this.#workers = new Int32Array(numbers.length)
    for (let place = 0; place < numbers.length; place += 1) {
      this.#workers[place] = work.numberOf(this.id(place))
    }
  }

  get length(): number {
    return this.#numbers.length
  }

  id(place: number): string {
    return this.#table.id(this.#numbers[place]!)
  }

  live(place: number): number {
    return this.#table.live(this.#numbers[place]!)
  }

  /** NaN: none. */
  lastActivityAt(place: number): number {
    return this.#table.lastActivityAt(this.#numbers[place]!)
  }

  isCleared(place: number): boolean {
    return this.#table.clearIndex(this.#numbers[place]!) > 0
  }

  hasWork(place: number): boolean {
    return this.#workers[place]! >= 0
  }

  count(place: number, state: WorkState): number {
    const worker = this.#workers[place]!
    return worker < 0 ? 0 : this.#work.countOf(worker, state)
  }

  /** Of those that are not dead letters. */
  countPending(place: number): number {
    if (!this.hasWork(place)) return 0
    let pending = 0
    for (const state of PENDING) pending += this.count(place, state)
    return pending
  }
}

const PENDING = ['ready', 'blocked', 'running', 'expired', 'retrying'] as const

/** Places of those whose id has the text anywhere, ignoring case; ascending. */
export function placesWithText(sessions: OrderedSessions, text: string): Uint32Array {
  const wanted = text.toLowerCase()
  const places = new NumberList(text === '' ? sessions.length : 0)
  for (let place = 0; place < sessions.length; place += 1) {
    if (text === '' || sessions.id(place).toLowerCase().includes(wanted)) places.push(place)
  }
  return places.values()
}

const HAS_CHIP: Readonly<
  Record<SessionChip, (sessions: OrderedSessions, place: number) => boolean>
> = {
  dead: (sessions, place) => sessions.count(place, 'dead') > 0,
  pending: (sessions, place) => sessions.countPending(place) > 0,
  running: (sessions, place) => sessions.count(place, 'running') > 0,
  expired: (sessions, place) => sessions.count(place, 'expired') > 0,
  blocked: (sessions, place) => sessions.count(place, 'blocked') > 0,
  retrying: (sessions, place) => sessions.count(place, 'retrying') > 0,
  cleared: (sessions, place) => sessions.isCleared(place),
}

/** Those of the places whose sessions have every one of the chips. */
export function placesWithChips(
  sessions: OrderedSessions,
  places: Uint32Array,
  chips: readonly SessionChip[],
): Uint32Array {
  if (chips.length === 0) return places
  const chosen = new NumberList()
  for (const place of places) {
    if (chips.every((chip) => HAS_CHIP[chip](sessions, place))) chosen.push(place)
  }
  return chosen.values()
}

export function countChips(
  sessions: OrderedSessions,
  places: Uint32Array,
): Record<SessionChip, number> {
  const counts = {
    dead: 0,
    pending: 0,
    running: 0,
    expired: 0,
    blocked: 0,
    retrying: 0,
    cleared: 0,
  }
  for (const place of places) {
    if (!sessions.hasWork(place)) {
      if (sessions.isCleared(place)) counts.cleared += 1
      continue
    }
    for (const chip of SESSION_CHIPS) if (HAS_CHIP[chip](sessions, place)) counts[chip] += 1
  }
  return counts
}

function activityOf(sessions: OrderedSessions, place: number): number {
  const at = sessions.lastActivityAt(place)
  return Number.isNaN(at) ? Number.NEGATIVE_INFINITY : at
}

const SORT_VALUE: Readonly<
  Record<SessionSort, (sessions: OrderedSessions, place: number) => number>
> = {
  activity: activityOf,
  id: (_, place) => place,
  dead: (sessions, place) => sessions.count(place, 'dead'),
  pending: (sessions, place) => sessions.countPending(place),
  live: (sessions, place) => sessions.live(place),
}

/** Taken anew for each list, the space for its values would be megabytes that are freed late. */
let scratch = { value: new Float64Array(0), activity: new Float64Array(0) }

function scratchFor(length: number): typeof scratch {
  if (scratch.value.length < length) {
    const longer = Math.ceil(length * 1.1)
    scratch = { value: new Float64Array(longer), activity: new Float64Array(longer) }
  }
  return scratch
}

/** Ties: the most recent first, then the database's order. Values are read once: comparing asks for them very often. */
export function sortPlaces(
  sessions: OrderedSessions,
  places: Uint32Array,
  { sort, direction }: { sort: SessionSort; direction: 'asc' | 'desc' },
): Uint32Array {
  const sign = direction === 'asc' ? 1 : -1
  const { value, activity } = scratchFor(sessions.length)
  for (const place of places) {
    value[place] = sign * SORT_VALUE[sort](sessions, place)
    activity[place] = activityOf(sessions, place)
  }
  return sortNumbers(
    places,
    (a, b) => compare(value[a]!, value[b]!) || compare(activity[b]!, activity[a]!) || a - b,
  )
}

function compare(a: number, b: number): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
