import Database from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

import type { Scope } from '../../src/inspector/handle.ts'
import { readSearchHits } from '../../src/inspector/queries/search-hits.ts'
import { readSearchSlice, readSearchStart } from '../../src/inspector/queries/search.ts'
import { detectSchema } from '../../src/inspector/sqlite-schema.ts'
import type { SearchPlace, SearchRequest } from '../../src/model/search.ts'
import { openReadOnly, type ReadHandle } from '../../src/store/sqlite/open.ts'
import { makeFolder } from './support/open.ts'
import { toRequest } from './support/search.ts'
import { insertRows, makeBareTables } from './support/tables.ts'

const REQUESTS: readonly SearchRequest[] = [
  toRequest({ text: 'needle' }),
  toRequest({ text: 'needle', matchCase: true, scope: 'everything' }),
  toRequest({ text: 'needle', eventType: 'a.thing' }),
  toRequest({ text: 'needle', eventType: 'a.*', scope: 'everything' }),
  toRequest({ text: '', eventType: 'a.thing' }),
]
const INDEXES = `create index by_type on a2_events (event_type);
  create index pending on a2_events (session_id, idx) where processed_at is null;
  create unique index by_id on a2_events (event_id); analyze`
const BOUNDS = { size: 500, limit: 50 }

/** Asks `run` of a file with rows of two types, and answers the plan of each statement that came of it. */
function plansOf(run: (scope: Scope) => unknown, options = ''): string[][] {
  const path = join(makeFolder(), 'plans.db')
  const database = new Database(path)
  makeBareTables(database, options)
  insertRows(
    database,
    Array.from({ length: 2000 }, (_, n) => ({
      session: `s${n % 40}`,
      index: 1 + Math.floor(n / 40),
      type: n % 500 === 0 ? 'a.thing' : 'another.thing',
      processedAt: n % 10 === 0 ? null : 1,
    })),
  )
  database.exec(INDEXES)
  const handle = openReadOnly(path)
  onTestFinished(() => {
    handle.close()
    database.close()
  })
  const asked = new Set<string>()
  const recording: ReadHandle = {
    ...handle,
    all: (sql, params, more) => {
      asked.add(sql)
      return handle.all(sql, params, more)
    },
    get: (sql, params, more) => {
      asked.add(sql)
      return handle.get(sql, params, more)
    },
  }
  run({ handle: recording, schema: detectSchema(handle, path), now: 1 })
  return [...asked].map((sql) =>
    database
      .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
      .all(...Array.from({ length: sql.split('?').length - 1 }, () => 1))
      .map(({ detail }) => detail),
  )
}

const slices = (place: SearchPlace, sessionId: string | null) => (scope: Scope) => {
  for (const request of REQUESTS) readSearchSlice(scope, { ...request, sessionId }, place, BOUNDS)
}
const shared = (plans: string[][]): string[] => [...new Set(plans.flat())]

describe('the plans of a search', () => {
  it('go through a range of rowids in the table itself, and sort nothing', () => {
    const place = { by: 'rowid', newest: 2000, through: 1500 } as const
    expect(shared(plansOf(slices(place, null)))).toEqual([
      'SEARCH a2_events USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
    ])
  })

  it('go through a range of one session by its key, whatever other index there is', () => {
    const place = { by: 'index', first: 1, head: 50, through: 40 } as const
    expect(shared(plansOf(slices(place, 's3')))).toEqual([
      'SEARCH a2_events USING INDEX sqlite_autoindex_a2_events_1 (session_id=? AND idx>? AND idx<?)',
      'SEARCH a2_events USING COVERING INDEX sqlite_autoindex_a2_events_1 (session_id=? AND idx<?)',
    ])
  })

  it('go on behind a key without rowids', () => {
    const start = { by: 'key', after: null, looked: 0 } as const
    const after = { session: Buffer.from('s3').toString('base64'), index: 7 }
    const plans = plansOf((scope) => {
      slices(start, null)(scope)
      slices({ ...start, after }, null)(scope)
    }, 'without rowid')
    expect(shared(plans)).toEqual([
      'SEARCH a2_events USING PRIMARY KEY (session_id>? AND session_id<?)',
      'SEARCH a2_events USING PRIMARY KEY ((session_id,idx)>(?,?) AND session_id<?)',
    ])
  })

  it('look up where to begin, and each hit, by its key', () => {
    const plans = plansOf((scope) => {
      for (const request of REQUESTS) {
        readSearchStart(scope, request)
        readSearchStart(scope, { ...request, sessionId: 's3' })
        readSearchHits(scope, request, [{ sessionId: 's3', index: 7 }])
      }
    })
    expect(shared(plans).filter((step) => /SCAN (a2_events|e)\b|B-TREE/.test(step))).toEqual([])
  })
})
