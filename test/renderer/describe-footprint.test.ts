import { expect, test } from 'vitest'

import { footprintLines, footprintWords } from '../../renderer/lib/describe-footprint.ts'
import type { PostgresFootprint, SqliteFootprint } from '../../src/model/footprint.ts'

const SINCE = Date.UTC(2026, 0, 12, 10, 0, 0)

const file: SqliteFootprint = {
  dialect: 'sqlite',
  since: SINCE,
  rowsRead: 1_234,
  lastQuery: { tookMs: 0.42, at: SINCE + 5_000 },
  refreshMs: 250,
  openHandles: 0,
  openTransactions: 0,
  longestHandleMs: 62.4,
  longestTransactionMs: 4.04,
  walBytes: 1_258_291,
  walGrowthBytes: 419_430,
}

const server: PostgresFootprint = {
  dialect: 'postgres',
  since: SINCE,
  rowsRead: 1,
  lastQuery: { tookMs: 12.4, at: SINCE + 5_000 },
  refreshMs: 1_500,
  connections: 2,
  holdings: { locks: 0, oldestTransactionMs: null, at: SINCE + 3_000 },
}

test.each([
  [file, 'no handle · WAL 1.2 MB (+409.6 KB) · 0.4 ms · every 250 ms · 1,234 rows read'],
  [
    { ...file, openHandles: 1, openTransactions: 1, walGrowthBytes: -2_048 },
    '1 handle · 1 transaction · WAL 1.2 MB (−2 KB) · 0.4 ms · every 250 ms · 1,234 rows read',
  ],
  [
    { ...file, walBytes: null, walGrowthBytes: 0, lastQuery: null, refreshMs: null },
    'no handle · 1,234 rows read',
  ],
  [server, '2 connections · 0 locks · 12 ms · every 1.5 s · 1 row read'],
  [
    { ...server, holdings: { locks: 3, oldestTransactionMs: 40, at: SINCE } },
    '2 connections · 3 locks · transaction open 40 ms · 12 ms · every 1.5 s · 1 row read',
  ],
  [
    { ...server, connections: 0, holdings: null },
    '0 connections · 12 ms · every 1.5 s · 1 row read',
  ],
])('the bar, case %#', (footprint, words) => {
  expect(footprintWords(footprint).join(' · ')).toBe(words)
})

test('all of a file', () => {
  expect(Object.fromEntries(footprintLines(file, 'utc'))).toStrictEqual({
    'open handles': 'none; the longest was open for 62 ms',
    transactions: 'none; the longest was open for 4.0 ms',
    '-wal': '1.2 MB',
    '-wal grew by': '409.6 KB since 10:00:00, whoever wrote',
    'last query': '0.4 ms, at 10:00:05',
    'rows read': '1,234 since 10:00:00',
    'looks for changes': 'when the folder tells of one, and every 250 ms',
  })
})

test('all of a server, and what is not known while it is away', () => {
  expect(Object.fromEntries(footprintLines(server, 'utc'))).toStrictEqual({
    connections: '2',
    'locks held': 'none, as of 10:00:03',
    'oldest snapshot': 'none: no transaction is open, as of 10:00:03',
    'last query': '12 ms, at 10:00:05',
    'rows read': '1 since 10:00:00',
    'looks for changes': 'every 1.5 s',
  })
  const away = { ...server, connections: 0, holdings: null, refreshMs: null }
  expect(Object.fromEntries(footprintLines(away, 'utc'))).toMatchObject({
    connections: '0',
    'locks held': 'not known now',
    'looks for changes': 'not now: nobody watches',
  })
})
