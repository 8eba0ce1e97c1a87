import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import type { DatabaseFacts } from '../../src/model/database.ts'
import { type Client, failureOf, FIXTURE_NOW, viewAll } from './support/open.ts'
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

export type FixtureName = 'small.db' | 'legacy-016.db'

/** A database that can hold the fixtures, and in what it differs. */
export interface ReaderBackend {
  readonly name: string
  readonly open: (fixture: FixtureName) => Client | Promise<Client>
  /** Of small.db. */
  readonly facts: Partial<DatabaseFacts>
  /** How a stored JSON value is spelled. */
  readonly json: { readonly storage: string; readonly spell: (text: string) => string }
}

/** What every dialect's reader must answer about the two fixtures. */
export function describeReader({
  name: dialect,
  open: openFixture,
  facts,
  json,
}: ReaderBackend): void {
  describe(`${dialect}: the 0.18 fixture`, () => {
    const openSmall = async (): Promise<Client> => openFixture('small.db')

    it('knows the moment the fixture is judged at', () => {
      expect(expected.now).toBe(FIXTURE_NOW)
    })

    it.each(Object.entries(SMALL_STATES))(
      'derives every state of %s',
      async (sessionId, states) => {
        const rows = await (await openSmall()).events.range({ sessionId, ...WIDE })
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
      const rows = await (await openSmall()).events.range({ sessionId, ...WIDE })
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
      const client = await openSmall()
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
      const detail = await (await openSmall()).sessions.get({ sessionId: id })
      expect(detail.lifetimes).toEqual(lifetimes)
      expect(detail.readAt).toBe(FIXTURE_NOW)
    })

    it.each(sessions)('finds the snapshots of %s', async (sessionId, session) => {
      const client = await openSmall()
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
      const list = await (await openSmall()).snapshots.list({ sessionId: 'agent:research-7f3a' })
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
      const client = await openSmall()
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
      const { rows } = await (await openSmall()).presence()
      expect(
        rows.map(({ namespace, participant, isExpired }) => [namespace, participant, isExpired]),
      ).toEqual([
        ['dashboard', 'ops-1', true],
        ['support:ticket-48213', 'agent:maría', false],
        ['support:ticket-48213', 'customer:c-1187', false],
      ])
    })

    it('says what the database is', async () => {
      expect(await (await openSmall()).facts()).toMatchObject({
        schema: '0.18',
        markerType: 'a2.session.cleared',
        isMarkerTypeLearned: true,
        unknownTables: [],
        unknownColumns: [],
        missingColumns: [],
        hasWorkIndex: true,
        ...facts,
      })
    })

    it('opens one event with its causes, effects and its lane', async () => {
      const client = await openSmall()
      const dead = await client.events.get({ sessionId: 'order:ord_2026_000918', index: 1 })
      expect(dead).toMatchObject({
        state: 'dead',
        clearIndex: 0,
        head: 7,
        lastError: 'VAT id rejected by VIES: INVALID_INPUT',
        laneStanding: {
          headIndex: 1,
          waitingBehind: 1,
          isWaitingBehindLowerBound: false,
        },
        causes: [],
        effects: [],
        effectsThroughIndex: 7,
        unknownColumns: [],
        readAt: FIXTURE_NOW,
      })
      const blocked = await client.events.get({ sessionId: 'order:ord_2026_000918', index: 2 })
      expect(blocked).toMatchObject({ state: 'blocked', blockedBy: 1 })
      expect(blocked.laneStanding?.headIndex).toBe(1)
    })

    it.each(sessions)('follows the causes and effects of %s', async (sessionId, session) => {
      const client = await openSmall()
      for (const { index, cause } of session.read) {
        // oxlint-disable-next-line no-await-in-loop -- each by itself is what is tested
        const event = await client.events.get({ sessionId, index })
        const [link = null] = event.causes
        const parent = session.read.find((one) => one.index === cause?.index)
        expect(link && { index: link.index, attempt: link.attempt }).toEqual(cause)
        expect(link?.event?.type).toBe(parent?.type)
        expect(event.effects.map((effect) => effect.index)).toEqual(
          session.read.filter((one) => one.cause?.index === index).map((one) => one.index),
        )
      }
    })

    it('reads a payload whole, from the list, alone and in parts', async () => {
      const client = await openSmall()
      const key = { sessionId: 'support:ticket-48213', index: 1 }
      const [row] = await client.events.range({ ...key, from: 1, to: 1 })
      const { payload } = await client.events.get(key)
      expect(payload).toMatchObject({
        offsetBytes: 0,
        nextOffsetBytes: null,
        hasInvalidUtf8: false,
        storage: json.storage,
      })
      expect(payload.totalBytes).toBe(Buffer.byteLength(payload.text))
      expect(payload.text).toBe(json.spell(payload.text))
      expect(row?.payloadStart).toBe(Array.from(payload.text).slice(0, 400).join(''))
      expect(row?.payloadBytes).toBe(payload.totalBytes)
      const rest = await client.events.payload({ ...key, offsetBytes: 10 })
      expect(rest.text).toBe(payload.text.slice(10))
    })

    it('answers an order together with the rows that were asked for, as they are', async () => {
      const client = await openSmall()
      const byId: Parameters<typeof client.sessions.view>[0] = {
        sort: 'id',
        direction: 'asc',
        text: 'order:',
        chips: [],
      }
      await viewAll(client, byId)
      const view = await client.sessions.view({ ...byId, rows: { offset: 1, limit: 5 } })
      expect(view.total).toBe(2)
      expect(view.rows).toMatchObject([{ id: 'order:ord_2026_000918', work: { dead: 1 } }])
      const { viewId } = view
      expect(await client.sessions.rows({ viewId, offset: 1, limit: 5 })).toEqual(view.rows)
      const beyond = await client.sessions.view({ ...byId, rows: { offset: 2, limit: 5 } })
      expect(beyond.rows).toEqual([])
      expect(await client.sessions.view(byId)).not.toHaveProperty('rows')
    })

    it('counts the sessions of each state, those with a text in their id', async () => {
      const client = await openSmall()
      const view = await viewAll(client)
      const chips = { dead: 1, pending: 1, running: 0, expired: 0, blocked: 1, retrying: 1 }
      expect(await client.sessions.counts({ text: 'ORDER:' })).toMatchObject({
        known: 8,
        isListComplete: true,
        isWorkComplete: true,
        chips: { ...chips, cleared: 0 },
      })
      expect((await client.sessions.counts({ text: '' })).chips).toEqual(view.chips)
      expect((await client.sessions.counts({ text: 'no such' })).chips).toMatchObject({ dead: 0 })
    })

    it('finds sessions and events by their ids, whatever the text', async () => {
      const client = await openSmall()
      await viewAll(client)
      expect(await client.sessions.find({ text: 'chat:demo', limit: 5 })).toEqual(['chat:demo'])
      expect(await client.sessions.find({ text: 'order:', limit: 5 })).toEqual([
        'order:ord_2026_000917',
        'order:ord_2026_000918',
      ])
      // No database holds it; it is no name, but may be looked for.
      expect(await client.sessions.find({ text: '\uD800', limit: 5 })).toEqual([])
      expect(await failureOf(client.events.locate({ eventId: '\uD800' }))).toMatchObject({
        code: 'BAD_REQUEST',
      })
      for (const text of ['no such', "'; --", 'a\0b', '%']) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        expect(await client.sessions.find({ text, limit: 5 })).toEqual([])
        expect(await client.events.locate({ eventId: text })).toBeNull()
        expect(await client.events.range({ sessionId: text, ...WIDE })).toEqual([])
        expect(await failureOf(client.sessions.get({ sessionId: text }))).toEqual({
          code: 'NOT_FOUND',
          data: { what: 'session' },
        })
        expect(await client.snapshots.list({ sessionId: text })).toMatchObject({ reducers: [] })
      }
      const [{ id }] = expected.sessions['chat:サポート-東京']!.read as [ExpectedEvent]
      expect(await client.events.locate({ eventId: id })).toEqual({
        sessionId: 'chat:サポート-東京',
        index: 3,
      })
    })

    it('previews what an action would do', async () => {
      const client = await openSmall()
      expect(await client.actions.previewClear({ sessionId: 'agent:research-7f3a' })).toEqual({
        sessionId: 'agent:research-7f3a',
        head: 37,
        clearIndex: 27,
        live: 10,
        work: { ready: 2, blocked: 5, running: 0, expired: 0, retrying: 1, dead: 0 },
        snapshots: [
          { reducer: 'notes', upToIndex: 37, isHead: true },
          { reducer: 'notes', upToIndex: 35, isHead: false },
        ],
        needsClearsTable: false,
        isEmpty: false,
        markerType: 'a2.session.cleared',
      })
      expect(
        await client.actions.previewReclaim({ sessionId: 'agent:research-7f3a' }),
      ).toMatchObject({
        clearIndex: 27,
        events: { count: 19, isLowerBound: false },
        snapshots: 2,
      })
      expect(
        await client.actions.previewRedrive({
          sessionId: 'order:ord_2026_000918',
          index: 1,
          action: 'skip',
        }),
      ).toMatchObject({
        isStillDead: true,
        becomesReady: { index: 2 },
        waitingBehind: { count: 1, isLowerBound: false },
      })
    })
  })

  describe(`${dialect}: the 0.16 fixture`, () => {
    it('is browsed without a table of clears', async () => {
      const client = await openFixture('legacy-016.db')
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
        const rows = await (
          await openFixture('legacy-016.db')
        ).events.range({ sessionId: id, ...WIDE })
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
      const client = await openFixture('legacy-016.db')
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
