import Database from 'better-sqlite3'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { sessionIdOf } from '../../bench/generate/session-order.ts'
import { NEEDLE, type Spec } from '../../bench/generate/spec.ts'
import { generateFile } from '../../bench/generate/sqlite-file.ts'

const SPEC: Spec = { events: 20_000, sessions: 200, biggest: 3_000 }

let folder: string
let database: Database.Database

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'a2-generated-'))
  generateFile(join(folder, 'plain.db'), SPEC, 'plain')
  generateFile(join(folder, 'indexed.db'), SPEC, 'indexed')
  generateFile(join(folder, 'covering.db'), SPEC, 'covering')
  database = new Database(join(folder, 'plain.db'), { readonly: true })
})
afterAll(() => {
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

const figure = (sql: string, ...params: unknown[]): number =>
  database
    .prepare<unknown[], number>(sql)
    .pluck()
    .get(...params)!

describe('a generated file', () => {
  test('has the events and sessions asked for, each session from 1 on without holes', () => {
    expect(figure('select count(*) from a2_events')).toBe(20_000)
    expect(figure('select count(distinct session_id) from a2_events')).toBe(200)
    expect(
      figure(
        `select count(*) from (select session_id from a2_events group by session_id
         having min(idx) <> 1 or max(idx) <> count(*))`,
      ),
    ).toBe(0)
  })

  test('has one session of the size asked for, the next ones by Zipf’s law', () => {
    const sizes = database
      .prepare<[], { id: string; n: number }>(
        'select session_id as id, count(*) as n from a2_events group by session_id order by n desc',
      )
      .all()
    expect(sizes[0]).toStrictEqual({ id: sessionIdOf(0), n: 3_000 })
    // The second, third and tenth of the remaining sizes: twice, a half and a fifth of each other.
    expect(sizes[1]!.n / sizes[3]!.n).toBeCloseTo(2, 0)
    expect(sizes[1]!.n / sizes[9]!.n).toBeCloseTo(5, 0)
    expect(sizes.at(-1)!.n).toBeGreaterThanOrEqual(1)
  })

  test('has about 2 % pending, 0.5 % dead, a tenth of the sessions cleared at a marker', () => {
    const unfinished = 'select count(*) from a2_events where processed_at is null and failed_at is'
    expect(figure(`${unfinished} null`)).toBeGreaterThan(300)
    expect(figure(`${unfinished} null`)).toBeLessThan(500)
    expect(figure(`${unfinished} not null`)).toBeGreaterThan(60)
    expect(figure(`${unfinished} not null`)).toBeLessThan(150)
    const clears = figure('select count(*) from a2_clears')
    expect(clears).toBeGreaterThan(8)
    expect(clears).toBeLessThan(35)
    expect(
      figure(
        `select count(*) from a2_clears c join a2_events e
           on e.session_id = c.session_id and e.idx = c.clear_index
         where e.event_type = 'a2.session.cleared' and e.payload = 'null'`,
      ),
    ).toBe(clears)
  })

  test('has JSON payloads of about 474 bytes on average, and long ones', () => {
    const average = figure('select avg(octet_length(payload)) from a2_events')
    expect(average).toBeGreaterThan(350)
    expect(average).toBeLessThan(600)
    expect(figure('select max(octet_length(payload)) from a2_events')).toBeGreaterThan(20_000)
    expect(figure('select max(octet_length(payload)) from a2_events')).toBeLessThanOrEqual(200_000)
    expect(figure('select count(*) from a2_events where not json_valid(payload)')).toBe(0)
  })

  test('has the word that is searched for where it should be, and nowhere else', () => {
    const found = database
      .prepare('select rowid from a2_events where payload like ?')
      .pluck()
      .all(`%${NEEDLE}%`)
    expect(found).toStrictEqual([20_000 - 5_000])
  })

  test('lets one event of a lane be ready, and those behind it wait', () => {
    expect(
      figure(
        `select count(*) from a2_events e where processed_at is null and lane_ready = 0
         and not exists (select 1 from a2_events b where b.session_id = e.session_id
           and b.lane = e.lane and b.idx < e.idx and b.processed_at is null)`,
      ),
    ).toBe(0)
  })

  test('is left in WAL mode and without a -wal, as by an app that has ended', () => {
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(readdirSync(folder).filter((name) => name.startsWith('indexed'))).toStrictEqual([
      'indexed.db',
    ])
  })

  test('has the partial indexes only where they are asked for', () => {
    const indexes = (name: string): unknown[] => {
      const other = new Database(join(folder, name), { readonly: true })
      try {
        return other
          .prepare(
            `select name from pragma_index_list('a2_events') where partial = 1 order by name`,
          )
          .pluck()
          .all()
      } finally {
        other.close()
      }
    }
    expect(indexes('plain.db')).toStrictEqual([])
    expect(indexes('indexed.db')).toStrictEqual(['a2_events_lane', 'a2_events_pending'])
    expect(indexes('covering.db')).toStrictEqual(['dead', 'pending'])
  })
})
