import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { sqlite, type SqliteStore } from '../../src/store/sqlite/store.ts'
import { dumpSqlite } from './backends.ts'
import { violations } from './invariants.ts'
import { indexesOf } from './world.ts'

interface ExpectedState {
  readonly headIndex: number | null
  readonly snapshot: unknown
  readonly clearIndex?: number
  readonly events: readonly number[]
}

interface ExpectedSession {
  readonly clearIndex: number
  readonly hasPending: boolean
  readonly read: readonly Readonly<Record<string, unknown>>[]
  readonly deadLetters: readonly number[]
  readonly states: Readonly<Record<string, ExpectedState>>
}

const fixture = (name: string): string => join(import.meta.dirname, '../fixtures', name)
const expected = JSON.parse(readFileSync(fixture('small.expected.json'), 'utf8')) as {
  readonly now: number
  readonly sessions: Readonly<Record<string, ExpectedSession>>
}
const clock = { now: () => new Date(expected.now) }

let folder: string
let store: SqliteStore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'a2-fixture-'))
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

function openCopy(name: string): string {
  const path = join(folder, name)
  copyFileSync(fixture(name), path)
  store = sqlite({ path, clock })
  return path
}

describe('a database of 0.18 that the library wrote', () => {
  for (const [sessionId, session] of Object.entries(expected.sessions))
    it(`answers for ${sessionId} what the library answers`, async () => {
      openCopy('small.db')
      const read = (await store.read(sessionId)).map((event) => ({
        index: event.index,
        id: event.id,
        type: event.type,
        lane: event.lane,
        cause: event.cause,
        attemptCount: event.attemptCount,
        failureCount: event.failureCount,
        processedAt: event.processedAt?.toISOString() ?? null,
        failedAt: event.failedAt?.toISOString() ?? null,
      }))
      expect(read).toEqual(session.read)
      expect(await store.append(sessionId, [])).toEqual({
        events: [],
        hasPending: session.hasPending,
      })
      expect(indexesOf(await store.deadLetters(sessionId))).toEqual(session.deadLetters)
      for (const [reducer, state] of Object.entries(session.states)) {
        const { events, ...rest } = await store.readState(sessionId, reducer)
        expect({ ...rest, events: indexesOf(events) }).toEqual(state)
      }
      const { clearIndex } = await store.readState(sessionId, 'no such reducer')
      expect(clearIndex ?? 0).toBe(session.clearIndex)
    })

  it('holds the invariants, and is not changed by reading', async () => {
    const path = openCopy('small.db')
    const before = dumpSqlite(path)
    expect(before.events).toHaveLength(213)
    expect(violations(before)).toEqual([])
    for (const sessionId of Object.keys(expected.sessions)) await store.read(sessionId)
    expect(dumpSqlite(path)).toEqual(before)
  })

  it('repeats a completion that the library recorded', async () => {
    openCopy('small.db')
    const answer = await store.completeAttempt({
      sessionId: 'support:ticket-48213',
      index: 1,
      attempt: 1,
      events: [{ type: 'llm.requested', id: '01KERKYSXGV9WGXP5NY4Z5C3CA' }],
    })
    expect(answer).toMatchObject({ outcome: 'completed', events: [{ index: 5 }] })
  })

  it('goes on: clear, reclaim, skip, append', async () => {
    const path = openCopy('small.db')
    const skip = { sessionId: 'order:ord_2026_000918', index: 1, action: 'skip' } as const
    expect(await store.redrive(skip)).toEqual({ redriven: true, hasPending: true })
    for (const sessionId of Object.keys(expected.sessions)) {
      await store.clear({ sessionId })
      while (!(await store.reclaim(sessionId)).done);
      await store.append(sessionId, [{ type: 'next', lane: 'l' }])
    }
    const tables = dumpSqlite(path)
    expect(violations(tables)).toEqual([])
    expect(tables.events).toHaveLength(2 * Object.keys(expected.sessions).length)
  })
})

describe('a database of 0.16', () => {
  it('gets the table it lacks and keeps all else', async () => {
    const path = openCopy('legacy-016.db')
    const tables = dumpSqlite(path)
    expect(tables.clears).toEqual([])
    expect(tables.events).toHaveLength(482)
    expect(violations(tables)).toEqual([])
    const [first] = await store.read('chat:demo')
    expect(first?.index).toBe(1)
    expect(await store.readState('chat:demo', 'r')).not.toHaveProperty('clearIndex')
    const { clearIndex, index } = await store.clear({ sessionId: 'chat:demo' })
    expect(clearIndex).toBe(index)
    expect(violations(dumpSqlite(path))).toEqual([])
  })
})
