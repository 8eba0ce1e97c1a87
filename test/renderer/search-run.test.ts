import { AsyncIteratorClass } from '@orpc/server'
import { join } from 'node:path'
import { expect, test } from 'vitest'

import { SearchRun, type SearchStatus } from '../../renderer/features/search/search-run.ts'
import type { BackgroundClient } from '../../src/contract/index.ts'
import { makeFolder, open, until } from '../inspector/support/open.ts'
import { toRequest } from '../inspector/support/search.ts'
import { insertRows, makeBareTables, openApp } from '../inspector/support/tables.ts'

const ROWS = 2500
const REQUEST = toRequest({ text: 'needle' })

function openRows(): BackgroundClient {
  const path = join(makeFolder(), 'rows.db')
  const app = openApp(path)
  makeBareTables(app)
  insertRows(
    app,
    Array.from({ length: ROWS }, (_, n) => ({ session: 's', index: n + 1, payload: 'a needle' })),
  )
  return open(path).background
}

async function untilIs(run: SearchRun, status: SearchStatus): Promise<void> {
  await until(() => run.getState().status === status, status)
}

/** Each event once, the newest first. */
function expectAll(run: SearchRun): void {
  const indexes = run.getState().hits.map(({ index }) => index)
  expect(indexes).toEqual(Array.from({ length: ROWS }, (_, n) => ROWS - n))
}

test('a search goes on from where it waited, until everything is found', async () => {
  const client = openRows()
  const run = new SearchRun(client, REQUEST)
  run.resume(client)
  await untilIs(run, 'limit')
  expect(run.getState().hits).toHaveLength(1000)
  expect(run.getState().progress.share).toBeCloseTo(0.4, 1)
  run.goOn()
  await untilIs(run, 'limit')
  run.goOn()
  await untilIs(run, 'complete')
  expectAll(run)
})

test('a search whose screen is left rests, and goes on when the person is back', async () => {
  const client = openRows()
  const run = new SearchRun(client, REQUEST)
  const rested = new Promise<void>((resolve) => {
    const end = run.subscribe(() => {
      if (run.getState().hits.length === 0) return
      end()
      run.pause()
      resolve()
    })
  })
  run.resume(client)
  await rested
  const { status, hits } = run.getState()
  expect(status).toBe('paused')
  expect(hits.length).toBeLessThan(ROWS)
  run.resume(client)
  for (let calls = 0; calls < 3 && run.getState().status !== 'complete'; calls += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await until(() => run.getState().status !== 'running', 'an end')
    if (run.getState().status === 'limit') run.goOn()
  }
  await untilIs(run, 'complete')
  expectAll(run)
})

test('what is stopped stays so, whoever comes back', async () => {
  const client = openRows()
  const run = new SearchRun(client, REQUEST)
  run.resume(client)
  run.stop()
  expect(run.getState().status).toBe('stopped')
  run.pause()
  run.resume(client)
  expect(run.getState().status).toBe('stopped')
})

test('a connection that breaks is no end', async () => {
  const client = openRows()
  let calls = 0
  const breaking: BackgroundClient = {
    ...client,
    search: async (...args) => {
      calls += 1
      const messages = await client.search(...args)
      if (calls > 1) return messages
      let isBroken = false
      return new AsyncIteratorClass(
        async () => {
          if (isBroken) throw new Error('the line is dead')
          isBroken = true
          return messages.next()
        },
        async () => void (await messages.return?.()),
      )
    },
  }
  const run = new SearchRun(breaking, REQUEST)
  run.resume(breaking)
  await untilIs(run, 'limit')
  expect(calls).toBe(2)
  run.goOn()
  await until(() => run.getState().status !== 'running', 'an end')
  run.goOn()
  await untilIs(run, 'complete')
  expectAll(run)
})
