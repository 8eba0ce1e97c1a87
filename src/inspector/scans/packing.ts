import type { ListedSession, SessionCursor } from '../queries/sessions.ts'
import type { UnfinishedRow } from '../queries/work.ts'

/**
 * Lists on their way from one process to another, by columns: numbers are copied as they lie in memory, and a
 * name that comes often is sent once. NaN stands for null.
 */
export interface PackedRows {
  readonly names: readonly string[]
  /** Places in `names`. */
  readonly session: Uint32Array
  /** Places in `names`; -1: no lane. */
  readonly lane: Int32Array
  readonly index: Float64Array
  readonly rowid: Float64Array
  readonly laneReady: Uint8Array
  readonly failedAt: Float64Array
  readonly failureCount: Float64Array
  readonly claimExpiresAt: Float64Array
}

const toNumber = (value: number | null): number => value ?? Number.NaN
const toNullable = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value

/** `withNames: false`: whoever unpacks them knows the sessions and lanes. */
export function packRows(
  rows: readonly UnfinishedRow[],
  { withNames = true }: { withNames?: boolean } = {},
): PackedRows {
  const packed = { ...packNames(withNames ? rows : []), ...makeNumbers(rows.length) }
  for (const [n, row] of rows.entries()) {
    packed.index[n] = row.index
    packed.rowid[n] = toNumber(row.rowid)
    packed.laneReady[n] = Number(row.laneReady)
    packed.failedAt[n] = toNumber(row.failedAt)
    packed.failureCount[n] = row.failureCount
    packed.claimExpiresAt[n] = toNumber(row.claimExpiresAt)
  }
  return packed
}

/** Filled in place: `from` would make a list of each column first, and there are many rows. */
function makeNumbers(length: number) {
  return {
    index: new Float64Array(length),
    rowid: new Float64Array(length),
    laneReady: new Uint8Array(length),
    failedAt: new Float64Array(length),
    failureCount: new Float64Array(length),
    claimExpiresAt: new Float64Array(length),
  }
}

function packNames(rows: readonly UnfinishedRow[]): Pick<PackedRows, 'names' | 'session' | 'lane'> {
  const places = new Map<string, number>()
  const placeOf = (name: string): number => {
    const place = places.get(name) ?? places.size
    if (place === places.size) places.set(name, place)
    return place
  }
  const session = new Uint32Array(rows.length)
  const lane = new Int32Array(rows.length)
  for (const [n, row] of rows.entries()) {
    session[n] = placeOf(row.sessionId)
    lane[n] = row.lane === null ? -1 : placeOf(row.lane)
  }
  return { names: [...places.keys()], session, lane }
}

export function unpackRows(packed: PackedRows): UnfinishedRow[] {
  const { names, session, lane } = packed
  return Array.from({ length: packed.index.length }, (_, n) => ({
    sessionId: names[session[n] ?? -1] ?? '',
    index: packed.index[n] ?? 0,
    rowid: toNullable(packed.rowid[n]),
    lane: names[lane[n] ?? -1] ?? null,
    laneReady: packed.laneReady[n] === 1,
    failedAt: toNullable(packed.failedAt[n]),
    failureCount: packed.failureCount[n] ?? 0,
    claimExpiresAt: toNullable(packed.claimExpiresAt[n]),
  }))
}

/** What became of known rows, by their places: nothing of those that are neither finished nor changed. */
export interface PackedChanges {
  readonly finished: Uint32Array
  readonly changed: Uint32Array
  /** Of the changed ones, without names. */
  readonly now: PackedRows
}

export function packChanges(
  known: readonly UnfinishedRow[],
  again: readonly (UnfinishedRow | null)[],
): PackedChanges {
  const finished: number[] = []
  const changed: number[] = []
  const now: UnfinishedRow[] = []
  for (const [n, row] of again.entries()) {
    if (row === null) finished.push(n)
    else if (row !== known[n]) {
      changed.push(n)
      now.push(row)
    }
  }
  return {
    finished: Uint32Array.from(finished),
    changed: Uint32Array.from(changed),
    now: packRows(now, { withNames: false }),
  }
}

/** Each known row as it is now, the very same object when nothing changed; null when it is finished. */
export function applyChanges(
  known: readonly UnfinishedRow[],
  { finished, changed, now }: PackedChanges,
): (UnfinishedRow | null)[] {
  const again: (UnfinishedRow | null)[] = [...known]
  for (const n of finished) again[n] = null
  const rows = unpackRows(now)
  for (const [k, n] of changed.entries()) {
    const row = known[n]
    const { laneReady, failedAt, failureCount, claimExpiresAt } = rows[k] ?? {}
    if (row === undefined || laneReady === undefined || failureCount === undefined) continue
    again[n] = {
      ...row,
      laneReady,
      failedAt: failedAt ?? null,
      failureCount,
      claimExpiresAt: claimExpiresAt ?? null,
    }
  }
  return again
}

export interface PackedSessions {
  readonly ids: readonly string[]
  readonly head: Float64Array
  readonly clearIndex: Float64Array
  readonly lastActivityAt: Float64Array
}

export function packSessions(sessions: readonly ListedSession[]): PackedSessions {
  return {
    ids: sessions.map(({ id }) => id),
    head: Float64Array.from(sessions, ({ head }) => head),
    clearIndex: Float64Array.from(sessions, ({ clearIndex }) => clearIndex),
    lastActivityAt: Float64Array.from(sessions, (session) => toNumber(session.lastActivityAt)),
  }
}

export function unpackSessions(packed: PackedSessions): ListedSession[] {
  return packed.ids.map((id, n) => ({
    id,
    head: packed.head[n] ?? 0,
    clearIndex: packed.clearIndex[n] ?? 0,
    lastActivityAt: toNullable(packed.lastActivityAt[n]),
  }))
}

/** Where a page ended: of a Buffer only the bytes arrive. */
export type SentCursor = Uint8Array | string | null

export function toCursor(sent: SentCursor): SessionCursor | null {
  return sent instanceof Uint8Array ? Buffer.from(sent) : sent
}
