import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { type Client, FIXTURE_NOW, viewAll } from './support/open.ts'
import { LEGACY_STATES, SMALL_LIFETIMES, SMALL_STATES, SMALL_SUMMARIES } from './support/by-hand.ts'

interface ExpectedEvent {
  readonly index: number
  readonly id: string
  readonly type: string
  readonly lane: string | null
  readonly cause: { index: number; attempt: number } | null
  readonly attemptCount: number
  readonly failureCount: number
  readonly processedAt: string | null
  readonly failedAt: string | null
}
interface ExpectedSession {
  readonly clearIndex: number
  readonly hasPending: boolean
  readonly read: readonly ExpectedEvent[]
  readonly deadLetters: readonly number[]
  readonly states: Record<
    string,
    { headIndex: number; snapshot: { index: number; state: unknown }; events: number[] }
  >
}
const expected = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/small.expected.json'), 'utf8'),
) as { now: number; sessions: Record<string, ExpectedSession> }
const sessions = Object.entries(expected.sessions)
const WIDE = { from: 1, to: 500 }
const time = (text: string | null): number | null => (text === null ? null : Date.parse(text))

/** What every dialect's reader must answer about the two fixtures. */
export function describeReader(
  dialect: string,
  openFixture: (name: 'small.db' | 'legacy-016.db') => Client,
): void {
  describe(`${dialect}: the 0.18 fixture`, () => {
    const openSmall = (): Client => openFixture('small.db')

    it('knows the moment the fixture is judged at', () => {
      expect(expected.now).toBe(FIXTURE_NOW)
    })

    it.each(Object.entries(SMALL_STATES))(
      'derives every state of %s',
      async (sessionId, states) => {
        const rows = await openSmall().events.range({ sessionId, ...WIDE })
        expect(rows.map(({ index }) => index)).toEqual(Object.keys(states).map(Number))
        expect(
          Object.fromEntries(
            rows.map(({ index, state, clearedAs, blockedBy }) => [
              index,
              [state, clearedAs ?? blockedBy].filter((word) => word !== null).join(' '),
            ]),
          ),
        ).toEqual(states)
      },
    )

    it.each(sessions)('reads the events of %s as the store does', async (sessionId, session) => {
      const rows = await openSmall().events.range({ sessionId, ...WIDE })
      const live = rows.filter(({ index }) => index >= session.clearIndex)
      expect(
        live.map((row) => ({
          index: row.index,
          id: row.id,
          type: row.type,
          lane: row.lane,
          cause: row.cause,
          attemptCount: row.attemptCount,
          failureCount: row.failureCount,
          processedAt: row.processedAt,
          failedAt: row.failedAt,
        })),
      ).toEqual(
        session.read.map((event) => ({
          ...event,
          processedAt: time(event.processedAt),
          failedAt: time(event.failedAt),
        })),
      )
    })

    it.each(sessions)('sums %s up', async (id, session) => {
      const client = openSmall()
      const view = await viewAll(client)
      const rows = await client.sessions.rows({ viewId: view.viewId, offset: 0, limit: 200 })
      const { summary } = await client.sessions.get({ sessionId: id })
      expect(summary).toEqual(SMALL_SUMMARIES[id])
      expect(rows.find((row) => row?.id === id)).toEqual(SMALL_SUMMARIES[id])
      expect(summary.clearIndex).toBe(session.clearIndex)
      const work = Object.values(summary.work ?? {}).reduce((sum, count) => sum + count, 0)
      expect(work > 0).toBe(session.hasPending)
    })

    it.each(Object.entries(SMALL_LIFETIMES))('splits %s into lifetimes', async (id, lifetimes) => {
      const detail = await openSmall().sessions.get({ sessionId: id })
      expect(detail.lifetimes).toEqual(lifetimes)
      expect(detail.readAt).toBe(FIXTURE_NOW)
    })

    it.each(sessions)('finds the snapshots of %s', async (sessionId, session) => {
      const client = openSmall()
      const list = await client.snapshots.list({ sessionId })
      const live = list.reducers.filter(({ head }) => head !== null && !head.isBelowMarker)
      expect(live.map(({ name }) => name).toSorted()).toEqual(
        Object.keys(session.states).toSorted(),
      )
      for (const { name, head, behind } of live) {
        const state = session.states[name]
        if (state === undefined || head === null) throw new Error('unreachable')
        expect(head.upToIndex).toBe(state.headIndex)
        expect(behind).toBe(state.events.length)
        const part = await client.snapshots.state({
          sessionId,
          reducer: name,
          upToIndex: head.upToIndex,
          source: 'head',
          offsetBytes: 0,
        })
        expect(JSON.parse(part.text)).toEqual(state.snapshot.state)
        expect(part).toMatchObject({ totalBytes: head.bytes, nextOffsetBytes: null })
      }
    })

    it('keeps history and pins below and above the marker', async () => {
      const list = await openSmall().snapshots.list({ sessionId: 'agent:research-7f3a' })
      const [notes] = list.reducers
      expect(notes?.history.map((one) => [one.upToIndex, one.isBelowMarker, one.pinnedBy])).toEqual(
        [
          [35, false, [36, 37]],
          [24, true, [25, 26]],
          [14, true, [15, 16]],
        ],
      )
    })

    it('lists dead letters across sessions', async () => {
      const client = openSmall()
      await viewAll(client)
      const view = await client.deadLetters.view({ text: '' })
      const rows = await client.deadLetters.rows({ viewId: view.viewId, offset: 0, limit: 200 })
      expect(rows.map(({ sessionId, index }) => [sessionId, index])).toEqual(
        sessions.flatMap(([id, { deadLetters }]) => deadLetters.map((index) => [id, index])),
      )
      expect(rows[0]).toMatchObject({
        waitingBehind: 1,
        isWaitingBehindLowerBound: false,
        event: { state: 'dead', lastErrorStart: 'VAT id rejected by VIES: INVALID_INPUT' },
      })
      expect(view).toMatchObject({ total: 1, sessions: 1, isComplete: true })
    })

    it('judges presence with the clock', async () => {
      const { rows } = await openSmall().presence()
      expect(
        rows.map(({ namespace, participant, isExpired }) => [namespace, participant, isExpired]),
      ).toEqual([
        ['dashboard', 'ops-1', true],
        ['support:ticket-48213', 'agent:maría', false],
        ['support:ticket-48213', 'customer:c-1187', false],
      ])
    })

    it('says what the database is', async () => {
      expect(await openSmall().facts()).toMatchObject({
        schema: '0.18',
        markerType: 'a2.session.cleared',
        isMarkerTypeLearned: true,
        eventsUpperBound: 488,
        unknownTables: [],
        unknownColumns: [],
        missingColumns: [],
        hasWorkIndex: true,
      })
    })
  })

  describe(`${dialect}: the 0.16 fixture`, () => {
    it('is browsed without a table of clears', async () => {
      const client = openFixture('legacy-016.db')
      expect(await client.facts()).toMatchObject({ schema: '0.16', isMarkerTypeLearned: false })
      const view = await viewAll(client)
      expect(view).toMatchObject({ total: 8, known: 8 })
      expect(view.chips).toMatchObject({ cleared: 0, dead: 2 })
      const { lifetimes } = await client.sessions.get({ sessionId: 'agent:research-7f3a' })
      expect(lifetimes).toMatchObject([
        { number: 1, from: 1, to: 34, stored: 34, status: 'current' },
      ])
    })

    it.each(Object.entries(LEGACY_STATES))(
      'derives the unfinished states of %s',
      async (id, states) => {
        const rows = await openFixture('legacy-016.db').events.range({ sessionId: id, ...WIDE })
        const unfinished = rows.filter(({ processedAt }) => processedAt === null)
        expect(
          Object.fromEntries(
            unfinished.map(({ index, state, blockedBy }) => [
              index,
              blockedBy === null ? state : `${state} ${blockedBy}`,
            ]),
          ),
        ).toEqual(states)
      },
    )

    it('lists its dead letters, newest failure first', async () => {
      const client = openFixture('legacy-016.db')
      await viewAll(client)
      const view = await client.deadLetters.view({ text: '' })
      const rows = await client.deadLetters.rows({ viewId: view.viewId, offset: 0, limit: 200 })
      expect(
        rows.map(({ sessionId, index, waitingBehind }) => [sessionId, index, waitingBehind]),
      ).toEqual([
        ['agent:research-7f3a', 15, 2],
        ['agent:research-7f3a', 6, 11],
        ['agent:research-7f3a', 3, 11],
        ['order:ord_2026_000918', 1, 1],
      ])
    })
  })
}
