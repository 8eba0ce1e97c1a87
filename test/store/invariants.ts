import { clearIndexIn, type EventRow, eventsOf, headIn, sessionsIn, type Tables } from './tables.ts'

const MARKER_TYPE = 'a2.session.cleared'

/** What is wrong with the tables, by the names of the invariants; empty when all hold. */
export function violations(tables: Tables): string[] {
  const found: string[] = []
  const check = (holds: boolean, what: string): void => {
    if (!holds) found.push(what)
  }
  const ids = tables.events.map((row) => row.event_id)
  check(new Set(ids).size === ids.length, 'T2 an event id twice')
  for (const sessionId of sessionsIn(tables)) {
    const events = eventsOf(tables, sessionId)
    const clearIndex = clearIndexIn(tables, sessionId)
    const live = events.filter((row) => row.idx > clearIndex)
    checkIndexes(check, events, clearIndex, headIn(tables, sessionId), sessionId)
    checkMarker(check, events, clearIndex, sessionId)
    checkLanes(check, live)
    for (const row of events) checkEvent(check, row)
    for (const row of live) checkCause(check, row, events, clearIndex)
  }
  checkSnapshots(check, tables)
  return found
}

type Check = (holds: boolean, what: string) => void

const name = (row: EventRow): string => `${row.session_id} #${row.idx}`

function checkIndexes(
  check: Check,
  events: readonly EventRow[],
  clearIndex: number,
  head: number,
  sessionId: string,
): void {
  const indexes = events.map((row) => row.idx)
  check(new Set(indexes).size === indexes.length, `T1 an index twice in ${sessionId}`)
  check(
    indexes.every((index) => Number.isSafeInteger(index) && index >= 1),
    `T1 an index below 1 in ${sessionId}`,
  )
  const stored = new Set(indexes)
  for (let index = Math.max(1, clearIndex); index <= head; index += 1)
    check(stored.has(index), `T4 a hole at ${sessionId} #${index}`)
}

function checkMarker(
  check: Check,
  events: readonly EventRow[],
  clearIndex: number,
  sessionId: string,
): void {
  if (clearIndex === 0) return
  check(clearIndex >= 2, `T3 clear index ${clearIndex} in ${sessionId}`)
  const marker = events.find((row) => row.idx === clearIndex)
  check(
    marker !== undefined &&
      marker.event_type === MARKER_TYPE &&
      marker.payload === null &&
      marker.cause === null &&
      marker.lane === null &&
      marker.processed_at === marker.created_at &&
      marker.attempt_count === 0 &&
      marker.failure_count === 0 &&
      marker.failed_at === null &&
      marker.claim_holder === null,
    `T3 no marker at ${sessionId} #${clearIndex}`,
  )
}

function checkLanes(check: Check, live: readonly EventRow[]): void {
  const seen = new Set<string>()
  for (const row of live) {
    if (row.processed_at !== null) continue
    if (row.lane === null) {
      check(row.lane_ready, `T6 ${name(row)} has no lane and is not ready`)
      continue
    }
    check(row.lane_ready === !seen.has(row.lane), `T5 lane '${row.lane}' at ${name(row)}`)
    seen.add(row.lane)
  }
}

function checkEvent(check: Check, row: EventRow): void {
  check((row.claim_holder === null) === (row.claim_expires_at === null), `T7 ${name(row)}`)
  check(row.claim_holder === null || row.attempt_count >= 1, `T7 ${name(row)} never claimed`)
  const isOver = row.processed_at !== null || row.failed_at !== null
  check(!isOver || row.claim_holder === null, `T8 ${name(row)} is over and claimed`)
  check(row.failed_at === null || row.failure_count >= 1, `T9 ${name(row)} failed without failure`)
  check(row.failure_count >= 0 && row.attempt_count >= 0, `T9 ${name(row)} a negative count`)
}

function checkCause(
  check: Check,
  row: EventRow,
  events: readonly EventRow[],
  clearIndex: number,
): void {
  const { cause } = row
  if (cause === null) return
  const parent = events.find((event) => event.idx === cause.index)
  check(cause.index > clearIndex && cause.index < row.idx, `T10 ${name(row)} cause out of range`)
  check(
    parent !== undefined && parent.attempt_count >= cause.attempt,
    `T10 ${name(row)} cause without its attempt`,
  )
}

function checkSnapshots(check: Check, tables: Tables): void {
  const isSame = (a: { session_id: string; reducer_name: string }, b: typeof a): boolean =>
    a.session_id === b.session_id && a.reducer_name === b.reducer_name
  for (const row of tables.history) {
    if (row.up_to_index < clearIndexIn(tables, row.session_id)) continue
    const at = `${row.session_id} ${row.reducer_name} @${row.up_to_index}`
    const head = tables.snapshots.find((snapshot) => isSame(snapshot, row))
    check(head !== undefined && row.up_to_index < head.up_to_index, `T11 ${at} not behind its head`)
    check(
      tables.pins.some((pin) => isSame(pin, row) && pin.up_to_index === row.up_to_index),
      `T12 ${at} is not pinned`,
    )
  }
  for (const pin of tables.pins) {
    const clearIndex = clearIndexIn(tables, pin.session_id)
    if (pin.event_index <= clearIndex) continue
    const at = `${pin.session_id} #${pin.event_index} pins @${pin.up_to_index}`
    const event = eventsOf(tables, pin.session_id).find((row) => row.idx === pin.event_index)
    check(pin.up_to_index >= clearIndex, `T13 ${at}, below the marker`)
    check(
      event !== undefined && event.processed_at === null && event.failed_at === null,
      `T13 ${at}, but is over`,
    )
  }
}
