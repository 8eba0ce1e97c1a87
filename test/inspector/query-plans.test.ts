import Database from 'better-sqlite3'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

import type { Scope } from '../../src/inspector/handle.ts'
import { findEvent, locateEvent } from '../../src/inspector/queries/event.ts'
import { readMarkerType } from '../../src/inspector/queries/judge.ts'
import { countWaitingBehind, findLaneHead } from '../../src/inspector/queries/lane.ts'
import { readGone, readMarkers } from '../../src/inspector/queries/past.ts'
import { follow, readTip, readTouchedSessions } from '../../src/inspector/queries/position.ts'
import {
  previewClear,
  previewReclaim,
  previewRedrive,
} from '../../src/inspector/queries/previews.ts'
import { findSession } from '../../src/inspector/queries/session.ts'
import {
  readIdsByPrefix,
  readPredecessors,
  readRecentSessions,
  readSessionPage,
} from '../../src/inspector/queries/sessions.ts'
import { readSnapshots } from '../../src/inspector/queries/snapshots.ts'
import { readRange, readRefs } from '../../src/inspector/queries/timeline.ts'
import { countByIndex, countDeadByIndex } from '../../src/inspector/queries/unfinished-counts.ts'
import {
  readClearIndexes,
  readSessionUnfinished,
  readUnfinishedAgain,
  readUnfinishedByIndex,
  readUnfinishedRange,
} from '../../src/inspector/queries/work.ts'
import { detectSchema } from '../../src/inspector/sqlite-schema.ts'
import { openReadOnly, type ReadHandle } from '../../src/store/sqlite/open.ts'
import { makeFolder } from './support/open.ts'
import { insertRows, makeBareTables } from './support/tables.ts'

const KEY = { sessionId: 's7', index: 20 }
const LANE = { sessionId: 's7', lane: 'l', clearIndex: 5, work: null }
const ROW = {
  ...KEY,
  rowid: 3,
  lane: null,
  laneReady: true,
  failedAt: null,
  failureCount: 0,
  claimExpiresAt: null,
}

/** Each hot question, asked of a database that has something to answer. */
const QUESTIONS: Record<string, (scope: Scope) => unknown> = {
  'the first page of sessions': (scope) => readSessionPage(scope, null, 50),
  'a page of sessions': (scope) => readSessionPage(scope, Buffer.from('s3'), 50),
  'recent sessions': (scope) => readRecentSessions(scope, { maxRows: 500, maxSessions: 10 }),
  'places of new sessions': (scope) => readPredecessors(scope, ['s3', 's7']),
  'ids by prefix': (scope) => readIdsByPrefix(scope, 's', 5),
  'one session': (scope) => findSession(scope, 's7'),
  'what is gone': (scope) => readGone(scope, { sessionId: 's7', from: 1, through: 30 }),
  markers: (scope) =>
    readMarkers(scope, { sessionId: 's7', from: 1, through: 30, markerType: 'm', clearIndex: 5 }),
  'a page of events': (scope) => readRange(scope, { sessionId: 's7', from: 10, to: 40 }, null),
  'names of events': (scope) => readRefs(scope, { sessionId: 's7', from: 10, to: 40 }),
  'one event': (scope) => findEvent(scope, KEY, null),
  'an event by id': (scope) => locateEvent(scope, 's7#20'),
  'the head of a lane': (scope) => findLaneHead(scope, LANE),
  'who waits behind': (scope) => countWaitingBehind(scope, { ...LANE, index: 20 }),
  snapshots: (scope) => readSnapshots(scope, 's7'),
  'the newest row': (scope) => readTip(scope),
  'events after a position': (scope) =>
    follow(scope, { rowid: 100, event: { ...KEY, id: 's7#20' } }, 2000),
  'touched sessions': (scope) => readTouchedSessions(scope, 100, 500),
  'the marker type': (scope) => readMarkerType(scope),
  'a slice of the counting pass': (scope) =>
    readUnfinishedRange(scope, { above: 100, through: 900 }),
  'a re-check': (scope) => readUnfinishedAgain(scope, [ROW]),
  'one session counted': (scope) => readSessionUnfinished(scope, { sessionId: 's7', from: 1 }, 100),
  'clear indexes': (scope) => readClearIndexes(scope, ['s3', 's7']),
  'the preview of a clear': (scope) => previewClear(scope, 's7'),
  'the preview of a reclaim': (scope) => previewReclaim(scope, 's7'),
  'the preview of a skip': (scope) => previewRedrive(scope, { ...KEY, action: 'skip' }, null),
}

/** Walks a whole table, or sorts what could be read in order. `limit 1` ends the first at once. */
const isSlow = (sql: string, step: string): boolean =>
  /^SCAN (a2_\w+|e)\b/.test(step) && !/limit (1|200)\b/.test(sql) && !step.includes('VIRTUAL TABLE')

function makeScope(indexes: string): { scope: Scope; plans: () => string[][] } {
  const path = join(makeFolder(), 'plans.db')
  const database = new Database(path)
  makeBareTables(database)
  database.exec(indexes)
  const rows = Array.from({ length: 2000 }, (_, n) => ({
    session: `s${n % 40}`,
    index: 1 + Math.floor(n / 40),
    lane: n % 3 === 0 ? 'l' : null,
    processedAt: n % 10 === 0 ? null : 1,
    failedAt: n % 100 === 0 ? 1 : null,
  }))
  insertRows(database, rows)
  database.exec('insert into a2_clears select distinct session_id, 5 from a2_events')
  const handle = openReadOnly(path)
  const asked = new Map<string, number>()
  const note = (sql: string): string => {
    asked.set(sql, asked.size)
    return sql
  }
  const recording: ReadHandle = {
    all: (sql, params, options) => handle.all(note(sql), params, options),
    lists: (sql, params) => handle.lists(note(sql), params),
    get: (sql, params, options) => handle.get(note(sql), params, options),
    snapshot: (run) => handle.snapshot(run),
    close: () => handle.close(),
  }
  onTestFinished(() => {
    handle.close()
    database.close()
  })
  const explain = (sql: string): string[] =>
    database
      .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
      .all(...Array.from({ length: sql.split('?').length - 1 }, () => 1))
      .map(({ detail }) => detail)
      .filter((step) => isSlow(sql, step))
  const schema = detectSchema(handle, path)
  const scope = { handle: recording, schema, now: 1 }
  return { scope, plans: () => [...asked.keys()].map(explain).filter((slow) => slow.length > 0) }
}

const OURS = `create unique index a2_events_event_id on a2_events (event_id);
  create index a2_events_pending on a2_events (session_id, idx) where processed_at is null;
  create index a2_events_lane on a2_events (session_id, lane, idx) where processed_at is null and lane is not null;`
const IDS_ONLY = 'create unique index some_name on a2_events (event_id)'
const OTHERS = `${IDS_ONLY}; create index dead on a2_events (failed_at, session_id, idx) where failed_at is not null;
  create index pending on a2_events (session_id, idx) where processed_at is null and failed_at is null;`

describe('no question walks through a table', () => {
  it.each([
    ['the indexes of our own store', OURS],
    ['no index but the keys', IDS_ONLY],
    ['indexes of somebody else', OTHERS],
  ])('with %s', (_, indexes) => {
    const { scope, plans } = makeScope(indexes)
    for (const [question, ask] of Object.entries(QUESTIONS)) {
      ask(scope)
      expect({ question, slow: plans() }).toEqual({ question, slow: [] })
    }
  })
})

describe('the index on unfinished rows', () => {
  it('is used when it holds all of them in key order, and only then', () => {
    expect(makeScope(OURS).scope.schema.hasWorkIndex).toBe(true)
    expect(makeScope(IDS_ONLY).scope.schema.hasWorkIndex).toBe(false)
    expect(makeScope(OTHERS).scope.schema.hasWorkIndex).toBe(false)
    const full = 'create index whole on a2_events (session_id, idx, processed_at)'
    expect(makeScope(full).scope.schema.hasWorkIndex).toBe(false)
  })

  it('counts by itself, whatever its name, and dead letters where one holds them', () => {
    const counts = (indexes: string) => makeScope(indexes).scope.schema.indexCounts
    expect(counts(OURS)).toEqual({ by: 'unfinished', maxDead: 0 })
    expect(counts(IDS_ONLY)).toEqual({ by: null, maxDead: 0 })
    // `dead` also holds what was skipped: its rows have to be looked at, so of fewer.
    expect(counts(OTHERS)).toEqual({ by: 'pending', maxDead: 10_000 })
    for (const [indexes, by] of [
      [OURS, 'unfinished'],
      [OTHERS, 'pending'],
    ] as const) {
      const { scope, plans } = makeScope(indexes)
      countByIndex(scope, by, { after: null, limit: 1000 })
      if (by === 'pending') countDeadByIndex(scope, 1000)
      expect(plans()).toEqual([])
    }
  })

  it('answers a page of unfinished rows by itself', () => {
    const { scope, plans } = makeScope(OURS)
    const first = readUnfinishedByIndex(scope, null, 50)
    expect(first.rows).toHaveLength(50)
    expect(readUnfinishedByIndex(scope, first.next, 5000).rows).toHaveLength(150)
    // The first page has no lower end: it scans the partial index, which holds nothing else.
    expect(plans()).toEqual([['SCAN a2_events USING INDEX a2_events_pending']])
  })
})

describe('the SQL of the inspector', () => {
  it('never pages by OFFSET', () => {
    const folder = join(import.meta.dirname, '../../src/inspector')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const sources = files.filter((name) => name.endsWith('.ts'))
    expect(sources.length).toBeGreaterThan(40)
    for (const name of sources) {
      expect(readFileSync(join(folder, name), 'utf8')).not.toMatch(
        /\blimit\s+\S+\s+offset\b|\boffset\s+\?(?!\?)/i,
      )
    }
  })
})
