import { setImmediate as yieldNow } from 'node:timers/promises'

import { readIdentity, readStamp } from './file-watch.ts'
import { SLICE_MS } from './pace.ts'
import { FileFootprint } from './file-footprint.ts'
import { LazyHandle, type Scope } from './handle.ts'
import type { Meter } from './meter.ts'
import {
  type EventKey,
  findEvent,
  findEventRow,
  findPayload,
  locateEvent,
} from './queries/event.ts'
import { findRowidThrough, readFacts, readMaxRowid } from './queries/facts.ts'
import { readMarkerType } from './queries/judge.ts'
import { readGone, readMarkers } from './queries/past.ts'
import { findPosition, follow, readTip, readTouchedSessions } from './queries/position.ts'
import { readPresence } from './queries/presence.ts'
import { previewClear, previewReclaim, previewRedrive } from './queries/previews.ts'
import { sqliteSearch } from './queries/search-reader.ts'
import { findSession } from './queries/session.ts'
import {
  readIdsByPrefix,
  readListed,
  readPredecessors,
  readRecentSessions,
  readSessionPage,
  readSummaries,
} from './queries/sessions.ts'
import { findState, readSnapshots } from './queries/snapshots.ts'
import { readRange, readRefs } from './queries/timeline.ts'
import { countByIndex, countDeadByIndex } from './queries/unfinished-counts.ts'
import {
  readClearIndexes,
  readSessionUnfinished,
  readUnfinishedAgain,
  readUnfinishedByIndex,
  readUnfinishedByKey,
  readUnfinishedRange,
} from './queries/work.ts'
import type { Capabilities, Reader } from './reader.ts'

/** Reads an SQLite file through a handle that is open only while it is needed. Nothing is opened here yet. */
export function openSqliteReader(options: {
  path: string
  clock: { now(): Date }
  meter: Meter
}): Reader {
  const { path, clock, meter } = options
  const footprint = new FileFootprint(path, meter)
  const handle = new LazyHandle({ path, clock, meter, onAnswer: () => footprint.begin() })
  const read = <T>(ask: (scope: Scope) => T): Promise<T> => handle.read(ask)
  const beside = <T>(ask: (scope: Scope) => T): Promise<T> => handle.read(ask, { isAside: true })
  return {
    path,
    get epoch() {
      return handle.epoch
    },
    noteRestored: () => handle.noteRestored(),
    stamp: () => readStamp(path)?.state ?? null,
    identity: () => readIdentity(path),
    refresh: async () => {},
    effort: { sliceMs: () => SLICE_MS, restFactor: 2 },
    footprint: () => footprint.take(),
    now: () => clock.now().getTime(),
    release: () => handle.release(),
    close: () => handle.close(),
    search: sqliteSearch(beside),

    indexCounts: {
      kind: () => beside(({ schema }) => schema.indexCounts),
      step: (by, after, limit) => beside((scope) => countByIndex(scope, by, { after, limit })),
      dead: (limit) => beside((scope) => countDeadByIndex(scope, limit)),
    },

    capabilities: () => read(readCapabilities),
    facts: () => {
      const before = readStamp(path)
      return read((scope) => readFacts(scope, path, before))
    },
    presence: () => read(readPresence),

    sessionPage: (after, limit) => beside((scope) => readSessionPage(scope, after, limit)),
    recentSessions: (bounds) => read((scope) => readRecentSessions(scope, bounds)),
    listed: (ids) => read((scope) => readListed(scope, ids)),
    predecessors: (ids) => beside((scope) => readPredecessors(scope, ids)),
    summaries: (ids) => read((scope) => readSummaries(scope, ids)),
    idsByPrefix: (text, limit) => read((scope) => readIdsByPrefix(scope, text, limit)),
    findSession: (sessionId) => read((scope) => findSession(scope, sessionId)),
    gone: (wanted) => read((scope) => readGone(scope, wanted)),
    markers: (wanted) => read((scope) => readMarkers(scope, wanted)),

    range: (wanted, work) => read((scope) => readRange(scope, wanted, work)),
    refs: (wanted) => read((scope) => readRefs(scope, wanted)),
    findEvent: (key, work) => read((scope) => findEvent(scope, key, work)),
    eventRows: (keys, work) =>
      read((scope) => keys.map((key) => findEventRow(scope, key, work) ?? null)),
    findPayload: (key) => read((scope) => findPayload(scope, key)),
    locate: (eventId, signal) => locate(handle, eventId, signal),

    snapshots: (sessionId) => read((scope) => readSnapshots(scope, sessionId)),
    findState: (key) => read((scope) => findState(scope, key)),

    unfinishedRange: (range) => beside((scope) => readUnfinishedRange(scope, range)),
    unfinishedAgain: (rows) => beside((scope) => readUnfinishedAgain(scope, rows)),
    unfinishedStep: (after, limit) =>
      beside((scope) =>
        scope.schema.hasWorkIndex
          ? readUnfinishedByIndex(scope, after, limit)
          : readUnfinishedByKey(scope, after, limit),
      ),
    sessionUnfinished: (wanted, limit) =>
      read((scope) => readSessionUnfinished(scope, wanted, limit)),
    clearIndexes: (ids) => beside((scope) => readClearIndexes(scope, ids)),

    tip: () => beside(readTip),
    findPosition: (known) => beside((scope) => findPosition(scope, known)),
    follow: (known, limit) =>
      handle.read((scope) => follow(scope, known, limit), { isBrief: true }),
    touchedSessions: (after, limit) => beside((scope) => readTouchedSessions(scope, after, limit)),

    previewClear: (sessionId) => read((scope) => previewClear(scope, sessionId)),
    previewReclaim: (sessionId) => read((scope) => previewReclaim(scope, sessionId)),
    previewRedrive: (key, work) => read((scope) => previewRedrive(scope, key, work)),
  }
}

function readCapabilities(scope: Scope): Capabilities {
  return {
    hasRowids: scope.schema.events.rowid !== null,
    hasBlocks: false,
    hasWorkIndex: scope.schema.hasWorkIndex,
    hasEventIdIndex: scope.schema.hasEventIdIndex,
    hasClears: scope.schema.clears !== null,
    markerType: readMarkerType(scope).type,
  }
}

const LOCATE_ROWS = 5000

async function locate(
  handle: LazyHandle,
  eventId: string,
  signal: AbortSignal | undefined,
): Promise<EventKey | null> {
  const start = await handle.read((scope) =>
    scope.schema.hasEventIdIndex || scope.schema.events.rowid === null
      ? { found: locateEvent(scope, eventId) }
      : { maxRowid: readMaxRowid(scope) },
  )
  if (start.found !== undefined) return start.found
  for (let through = start.maxRowid; through !== null && through > 0;) {
    signal?.throwIfAborted()
    const range = { above: through - LOCATE_ROWS, through }
    const { found, next } = await handle.read((scope) => ({
      found: locateEvent(scope, eventId, range),
      next: findRowidThrough(scope, range.above),
    }))
    if (found !== null) return found
    through = next
    await yieldNow()
  }
  return null
}
