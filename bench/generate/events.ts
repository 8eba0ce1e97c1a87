import type { Random } from '../../src/sample/random.ts'
import { CLEAR_EVENT_TYPE } from '../../src/store/clear-marker.ts'
import { makePayloads } from './payloads.ts'
import { sessionIdOf, sessionSizes, shuffledSessions } from './session-order.ts'
import { hasNeedle, SHARES, type Spec } from './spec.ts'

/** One row of a2_events. Text columns hold JSON as text. */
export interface GeneratedEvent {
  readonly sessionId: string
  readonly index: number
  readonly type: string
  readonly payload: string
  readonly id: string
  readonly createdAt: number
  readonly cause: string | null
  readonly lane: string | null
  readonly laneReady: 0 | 1
  readonly processedAt: number | null
  readonly attemptCount: number
  readonly failureCount: number
  readonly failedAt: number | null
  readonly lastError: string | null
  readonly claimHolder: string | null
  readonly claimExpiresAt: number | null
}

export interface GeneratedClear {
  readonly sessionId: string
  readonly clearIndex: number
}

export interface GeneratedRows {
  readonly clears: readonly GeneratedClear[]
  /** In commit order. */
  events(): Generator<GeneratedEvent>
}

const FIRST_AT = Date.UTC(2026, 0, 1)
const DAYS_MS = 30 * 86_400_000
const TYPES = [
  'message.received',
  'message.sent',
  'tool.called',
  'tool.returned',
  'order.placed',
  'order.paid',
  'step.finished',
] as const
const LANES = ['turn', 'tools'] as const
const ERRORS = [
  'Error: connect ETIMEDOUT 10.0.4.17:443\n    at TCPConnectWrap.afterConnect',
  "TypeError: Cannot read properties of undefined (reading 'total')\n    at reduce",
  'Error: 429 Too Many Requests: retry after 30 s',
] as const

export function generateRows(spec: Spec, random: Random): GeneratedRows {
  const sizes = sessionSizes(spec)
  const clearIndexes = chooseClears(sizes, random)
  const order = shuffledSessions(sizes, random)
  const payload = makePayloads(random)
  const clears: GeneratedClear[] = []
  for (const [session, clearIndex] of clearIndexes.entries())
    if (clearIndex > 0) clears.push({ sessionId: sessionIdOf(session), clearIndex })
  return {
    clears,
    *events() {
      const heads = new Uint32Array(spec.sessions)
      const busyLanes = new Uint8Array(spec.sessions)
      for (const [position, session] of order.entries()) {
        const index = (heads[session]! += 1)
        const at = { position, session, index, createdAt: timeOf(spec, position) }
        if (index === clearIndexes[session]) {
          yield marker(at)
          continue
        }
        const text = payload(hasNeedle(spec, position))
        yield { ...named(at), payload: text, ...fate(at, busyLanes, random) }
      }
    },
  }
}

/** A tenth of the sessions was cleared once, somewhere in the middle; 0: never. */
function chooseClears(sizes: Uint32Array, random: Random): Uint32Array {
  return sizes.map((size) => {
    if (size < 2 || !random.chance(SHARES.clearedSessions)) return 0
    return Math.max(2, Math.ceil(size * (0.3 + 0.6 * random.next())))
  })
}

interface Place {
  readonly position: number
  readonly session: number
  readonly index: number
  readonly createdAt: number
}

function timeOf({ events }: Spec, position: number): number {
  return FIRST_AT + Math.floor((position / events) * DAYS_MS)
}

function named({ position, session, index, createdAt }: Place) {
  return {
    sessionId: sessionIdOf(session),
    index,
    type: TYPES[(session + index) % TYPES.length] ?? TYPES[0],
    id: `evt_${createdAt.toString(36)}${position.toString(36).padStart(6, '0')}`,
    createdAt,
    cause: index > 1 && position % 5 < 3 ? `{"index":${index - 1},"attempt":1}` : null,
  }
}

const UNTOUCHED = {
  lane: null,
  laneReady: 1,
  attemptCount: 0,
  failureCount: 0,
  failedAt: null,
  lastError: null,
  claimHolder: null,
  claimExpiresAt: null,
} as const

function marker(at: Place): GeneratedEvent {
  const marked = { ...named(at), type: CLEAR_EVENT_TYPE, cause: null, payload: 'null' }
  return { ...marked, ...UNTOUCHED, processedAt: at.createdAt }
}

/** Unfinished events are strewn all over; of a lane the first one may run, the others wait behind it. */
function fate({ session, createdAt }: Place, busyLanes: Uint8Array, random: Random) {
  const laneNumber = random.chance(0.3) ? random.between(0, LANES.length - 1) : null
  const lane = laneNumber === null ? null : (LANES[laneNumber] ?? null)
  const drawn = random.next()
  if (drawn >= SHARES.pending + SHARES.dead) {
    const processedAt = createdAt + random.between(3, 4_000)
    return { ...UNTOUCHED, lane, processedAt, attemptCount: random.chance(0.8) ? 1 : 0 }
  }
  const bit = laneNumber === null ? 0 : 1 << laneNumber
  const laneReady = (busyLanes[session]! & bit) === 0 ? (1 as const) : (0 as const)
  busyLanes[session]! |= bit
  const waiting = { ...UNTOUCHED, lane, laneReady, processedAt: null }
  if (drawn < SHARES.dead) {
    const lastError = random.pick(ERRORS)
    const failedAt = createdAt + random.between(1_000, 60_000)
    return {
      ...waiting,
      laneReady: 1 as const,
      attemptCount: 5,
      failureCount: 5,
      failedAt,
      lastError,
    }
  }
  if (laneReady === 0 || !random.chance(0.1)) return waiting
  const claim = { claimHolder: 'worker-eu-3', claimExpiresAt: createdAt + 30_000 }
  return { ...waiting, ...claim, attemptCount: 1 }
}
