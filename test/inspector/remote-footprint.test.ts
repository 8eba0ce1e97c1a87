import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'

import { RemoteFootprint, type ScanFootprint } from '../../src/inspector/scans/remote-footprint.ts'

const SAID: ScanFootprint = {
  dialect: 'sqlite',
  since: 1_000,
  rowsRead: 40,
  lastQuery: null,
  openHandles: 0,
  openTransactions: 0,
  longestHandleMs: 60,
  longestTransactionMs: 12,
  walBytes: 0,
  walGrowthBytes: 0,
}

test('asks once, and gives the last word until the next', () => {
  const footprint = new RemoteFootprint()
  let asked = 0
  const ask = () => {
    asked += 1
  }
  expect(footprint.read(null)).toBeNull()
  expect([footprint.read(ask), footprint.read(ask)]).toStrictEqual([null, null])
  expect(asked).toBe(1)
  footprint.hear(SAID)
  expect(footprint.read(ask)).toStrictEqual(SAID)
  expect(asked).toBe(2)
})

test('a process that does not answer is in the middle of a statement', async () => {
  const footprint = new RemoteFootprint()
  footprint.hear(SAID)
  footprint.read(() => {})
  await sleep(300)
  expect(footprint.read(() => {})).toStrictEqual({ ...SAID, openHandles: 1, openTransactions: 1 })
  footprint.hear(SAID)
  expect(footprint.read(null)).toStrictEqual(SAID)
})

test('a process that ended holds nothing; what it read stays counted with what the next one reads', () => {
  const footprint = new RemoteFootprint()
  footprint.hear({ ...SAID, openHandles: 1, openTransactions: 1 })
  footprint.lose()
  expect(footprint.read(null)).toStrictEqual(SAID)
  footprint.hear({ ...SAID, rowsRead: 2 })
  expect(footprint.read(null)).toMatchObject({ rowsRead: 42 })
})
