import { expect, test } from 'vitest'

import { addFootprints, type PostgresFootprint, type SqliteFootprint } from './footprint.ts'

const file: SqliteFootprint = {
  dialect: 'sqlite',
  since: 1_000,
  rowsRead: 10,
  lastQuery: { tookMs: 2, at: 5_000 },
  refreshMs: 250,
  openHandles: 1,
  openTransactions: 0,
  longestHandleMs: 60,
  longestTransactionMs: 4,
  walBytes: 4_096,
  walGrowthBytes: 4_096,
}

const server: PostgresFootprint = {
  dialect: 'postgres',
  since: 1_000,
  rowsRead: 10,
  lastQuery: { tookMs: 2, at: 5_000 },
  refreshMs: 250,
  connections: 2,
  holdings: { locks: 0, oldestTransactionMs: null, at: 4_000 },
}

test('two processes with a file: what they hold is added, what is the file’s is not', () => {
  const beside: SqliteFootprint = {
    ...file,
    since: 1_400,
    rowsRead: 1_000_000,
    lastQuery: { tookMs: 12, at: 9_000 },
    refreshMs: null,
    openTransactions: 1,
    longestHandleMs: 800,
    longestTransactionMs: 13,
    walGrowthBytes: 100,
  }
  expect(addFootprints(file, beside)).toStrictEqual({
    dialect: 'sqlite',
    since: 1_000,
    rowsRead: 1_000_010,
    lastQuery: { tookMs: 2, at: 5_000 },
    refreshMs: 250,
    openHandles: 2,
    openTransactions: 1,
    longestHandleMs: 800,
    longestTransactionMs: 13,
    walBytes: 4_096,
    walGrowthBytes: 4_096,
  })
})

test('two processes with a server: connections are added, the newest look at the locks counts', () => {
  const holdings = { locks: 3, oldestTransactionMs: 40, at: 6_000 }
  const beside: PostgresFootprint = { ...server, connections: 1, rowsRead: 5, holdings }
  const sum = { ...server, connections: 3, rowsRead: 15, holdings }
  expect(addFootprints(server, beside)).toStrictEqual(sum)
  expect(addFootprints(beside, server)).toStrictEqual(sum)
  expect(addFootprints(server, { ...beside, holdings: null })).toMatchObject({
    holdings: server.holdings,
  })
})
