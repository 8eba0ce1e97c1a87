import { Asker } from './postgres/asker.ts'
import { eventRows as eventRowsOf, range as rangeOf, refs as refsOf } from './postgres/timeline.ts'
import { locate, recentSessions } from './postgres/blocks.ts'
import { findEvent, findPayload } from './postgres/event.ts'
import { blockCount, capabilities, facts, writeUnderWay } from './postgres/facts.ts'
import { Monitor } from './postgres/monitor.ts'
import { serverFootprint } from './postgres/footprint.ts'
import { gone, markers } from './postgres/past.ts'
import { canBeStored } from './postgres/pieces.ts'
import { presence } from './postgres/presence.ts'
import { previewClear, previewReclaim, previewRedrive } from './postgres/previews.ts'
import { postgresSearch } from './postgres/search-reader.ts'
import type { PostgresServer } from './postgres/server.ts'
import {
  findSession,
  idsByPrefix,
  listed,
  predecessors,
  sessionPage,
  summaries,
} from './postgres/sessions.ts'
import { findState, snapshots } from './postgres/snapshots.ts'
import {
  clearIndexes,
  sessionUnfinished,
  unfinishedAgain,
  unfinishedBlocks,
  unfinishedByIndex,
  unfinishedByKey,
} from './postgres/work.ts'
import type { Reader } from './reader.ts'

export interface PostgresReader extends Reader {
  readonly monitor: Monitor
  /** We wrote: what is known of the tables is looked up again. */
  noteWritten(): void
}

/** What every list asks first. */
const CAPABILITIES_MS = 1000

/** Slices of background work that take less are mostly the way to the server and back. */
const MIN_SLICE_MS = 25

/**
 * Reads the tables of a Postgres database, each answer by one statement. It keeps no connection, no
 * transaction and no cursor of its own. Nothing is asked yet.
 */
export function openPostgresReader(options: {
  server: PostgresServer
  /** Stands in for the database's clock in a test. */
  clock?: { now(): Date }
}): PostgresReader {
  const { server } = options
  const asker = new Asker(server, options.clock)
  const monitor = new Monitor(asker)
  const { ask } = bound(asker)
  const beside = <T>(make: Parameters<typeof asker.ask<T>>[0]): Promise<T> =>
    asker.ask(make, 'background')
  return {
    path: server.path,
    monitor,
    noteWritten: () => asker.noteWritten(),
    get epoch() {
      return asker.epoch
    },
    noteRestored: () => {
      asker.noteRestored()
      monitor.heads.reset()
    },
    stamp: () => monitor.stamp,
    identity: () => null,
    refresh: () => monitor.look(),
    effort: {
      sliceMs: () => Math.max(MIN_SLICE_MS, 3 * monitor.latencyMs),
      restFactor: 20,
    },
    footprint: serverFootprint(asker),
    openFollower: () => monitor.heads.openFollower(),
    isWriteUnderWay: () => ask(writeUnderWay),
    now: () => asker.clock.now(),
    release: () => {},
    close: () => asker.close(),
    search: postgresSearch(asker),

    capabilities: once(() => ask(capabilities), CAPABILITIES_MS),
    facts: async () => {
      const at = {
        path: server.path,
        latencyMs: monitor.latencyMs,
        pollMs: monitor.pollMs('visible'),
      }
      // The clocks are compared by looking.
      if (at.latencyMs === 0) await monitor.look()
      return ask((scope) => facts(scope, { ...at, latencyMs: monitor.latencyMs }))
    },
    presence: () => ask(presence),

    sessionPage: (after, limit) =>
      beside((scope) => sessionPage(scope, after === null ? null : after.toString(), limit)),
    recentSessions: (bounds) => recentSessions(asker, monitor.blocks, bounds),
    listed: (ids) =>
      ask((scope) =>
        listed(
          scope,
          ids.filter((id) => canBeStored(id)),
        ),
      ),
    predecessors: (ids) => beside((scope) => predecessors(scope, ids)),
    summaries: (ids) => ask((scope) => summaries(scope, ids)),
    idsByPrefix: async (text, limit) =>
      canBeStored(text) ? ask((scope) => idsByPrefix(scope, text, limit)) : [],
    findSession: async (sessionId) =>
      canBeStored(sessionId) ? ask((scope) => findSession(scope, sessionId)) : undefined,
    gone: (wanted) => ask((scope) => gone(scope, wanted)),
    markers: (wanted) => ask((scope) => markers(scope, wanted)),

    range: async (wanted, work) => {
      if (!canBeStored(wanted.sessionId)) return []
      monitor.watch(wanted)
      return ask((scope) => rangeOf(scope, wanted, work))
    },
    refs: (wanted) => ask((scope) => refsOf(scope, wanted)),
    findEvent: async (key, work) => {
      if (!canBeStored(key.sessionId)) return undefined
      monitor.watch({ sessionId: key.sessionId, from: key.index, to: key.index })
      return ask((scope) => findEvent(scope, key, work))
    },
    eventRows: async (keys) => (keys.length === 0 ? [] : ask((scope) => eventRowsOf(scope, keys))),
    findPayload: async (key) =>
      canBeStored(key.sessionId) ? ask((scope) => findPayload(scope, key)) : undefined,
    locate: async (eventId, signal) =>
      canBeStored(eventId) ? locate(asker, eventId, signal) : null,

    snapshots: async (sessionId) =>
      ask((scope) => snapshots(scope, canBeStored(sessionId) ? sessionId : '')),
    findState: async (key) =>
      canBeStored(key.sessionId, key.reducer) ? ask((scope) => findState(scope, key)) : undefined,

    unfinishedRange: (blocks) => beside((scope) => unfinishedBlocks(scope, blocks)),
    unfinishedAgain: async (rows) =>
      rows.length === 0 ? [] : beside((scope) => unfinishedAgain(scope, rows)),
    unfinishedStep: (after, limit) =>
      beside((scope) =>
        scope.schema.hasWorkIndex
          ? unfinishedByIndex(scope, after, limit)
          : unfinishedByKey(scope, after, limit),
      ),
    sessionUnfinished: (wanted, limit) => ask((scope) => sessionUnfinished(scope, wanted, limit)),
    clearIndexes: async (ids) =>
      ids.length === 0 ? new Map() : beside((scope) => clearIndexes(scope, ids)),

    tip: async () => ({ rowid: await beside(blockCount), event: null }),
    findPosition: noRowids,
    follow: noRowids,
    touchedSessions: noRowids,

    previewClear: async (sessionId) =>
      canBeStored(sessionId) ? ask((scope) => previewClear(scope, sessionId)) : undefined,
    previewReclaim: async (sessionId) =>
      canBeStored(sessionId) ? ask((scope) => previewReclaim(scope, sessionId)) : undefined,
    previewRedrive: async (key, work) =>
      canBeStored(key.sessionId) ? ask((scope) => previewRedrive(scope, key, work)) : undefined,
  }
}

/** One answer for all who ask within a while; a failure is not kept. */
function once<T>(ask: () => Promise<T>, forMs: number): () => Promise<T> {
  let known: Promise<T> | null = null
  let until = 0
  return () => {
    if (known !== null && performance.now() < until) return known
    until = performance.now() + forMs
    known = ask()
    known.catch(() => {
      until = 0
    })
    return known
  }
}

function bound(asker: Asker): { ask: Asker['ask'] } {
  return { ask: (make, role) => asker.ask(make, role) }
}

async function noRowids(): Promise<never> {
  throw new Error('rows of Postgres have no numbers: see the capabilities')
}
