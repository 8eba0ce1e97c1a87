import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

import type { ConnectionState } from '../../src/model/connection.ts'
import { describeTrouble } from '../../src/model/describe-trouble.ts'
import { backoffMs } from '../../src/store/postgres/connect/deadline.ts'
import { openGate, type PostgresGate } from '../../src/store/postgres/connect/gate.ts'
import type { Lookup } from '../../src/store/postgres/connect/target.ts'
import { findBinaries, type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { administer, targetOf, troubleOf, until } from './support/connect.ts'
import { type Proxy, startProxy } from './support/proxy.ts'

let server: PostgresServer
let admin: string
let proxy: Proxy
let gate: PostgresGate
let seen: ConnectionState[]
const gates: PostgresGate[] = []

const ONE = { sql: 'select 1 as one', params: [] }
const sleep = (seconds: number) => ({
  sql: `select 'slept' as answer from pg_sleep($1)`,
  params: [seconds],
})

beforeAll(async () => {
  server = await startPostgres(findBinaries()[0]!, { isDurable: false })
  admin = server.connectionString
  await administer(admin, 'create role app login')
})
afterAll(() => server.stop())
beforeEach(async () => {
  proxy = await startProxy(server.port)
  gate = await open()
  seen = []
  gate.onState((state) => seen.push(state))
})
afterEach(async () => {
  await Promise.all(gates.splice(0).map((one) => one.close()))
  await proxy.close()
})

interface Changes {
  readonly url?: string
  readonly connectDeadlineMs?: number
  readonly lookup?: Lookup
  readonly backgroundIdleMs?: number
}

async function open({ url, ...options }: Changes = {}): Promise<PostgresGate> {
  const target = await targetOf(url ?? `postgres://postgres@127.0.0.1:${proxy.port}/postgres`)
  const opened = await openGate({ ...target, random: () => 0, ...options })
  gates.push(opened)
  return opened
}

interface Activity {
  readonly pid: number
  readonly state: string
  readonly query: string
}

function ours(): Promise<Activity[]> {
  return administer<Activity>(
    admin,
    `select pid, state, query from pg_stat_activity
      where application_name = 'a2-inspector' order by backend_start`,
  )
}

const untilRunning = (text: string) =>
  until(async () =>
    (await ours()).some(({ state, query }) => state === 'active' && query.includes(text)),
  )

const terminateOurs = () =>
  administer(
    admin,
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'a2-inspector'`,
  )

/** Three seconds by its deadline, and a slow machine. */
const STOP_LIMIT_MS = 6_000

const statuses = () => [...new Set(seen.map(({ status }) => status))]

describe('when the connection dies', () => {
  test('a restart of the server', async () => {
    await server.restart()
    expect(await gate.interactive.query(ONE)).toStrictEqual([{ one: 1 }])
    expect(statuses()).toStrictEqual(['reconnecting', 'connected'])
    expect(seen[0]).toMatchObject({
      attempt: 0,
      nextAttemptAt: expect.any(Number),
      reason: { kind: 'server-shutting-down', code: '57P01' },
    })
  })

  test('a read that is asked for while the server is down waits for it', async () => {
    let answer: Promise<unknown> = Promise.resolve()
    await server.restart(async () => {
      await until(() => gate.state().status === 'reconnecting')
      answer = gate.interactive.query(ONE, { deadlineMs: 30_000 })
      await until(() => seen.some((state) => state.status === 'reconnecting' && state.attempt >= 2))
    })
    expect(await answer).toStrictEqual([{ one: 1 }])
  })

  test('pg_terminate_backend in the middle of a read', async () => {
    const answers = [gate.interactive.query(sleep(1)), gate.background.query(sleep(1))]
    await untilRunning('pg_sleep')
    await terminateOurs()
    expect(await Promise.all(answers)).toStrictEqual([[{ answer: 'slept' }], [{ answer: 'slept' }]])
  })

  test('pg_terminate_backend of an idle connection', async () => {
    await gate.background.query(ONE)
    await terminateOurs()
    await until(() => seen.at(-1)?.status === 'connected')
    expect(await gate.background.query(ONE)).toStrictEqual([{ one: 1 }])
  })

  test('a connection that is cut in the middle of a read', async () => {
    const answer = gate.interactive.query(sleep(0.5))
    await untilRunning('pg_sleep')
    proxy.cut()
    expect(await answer).toStrictEqual([{ answer: 'slept' }])
    expect(seen[0]).toMatchObject({ status: 'reconnecting', reason: { kind: 'connection-lost' } })
  })

  test('a read that ends the connection each time is not repeated for ever', async () => {
    const suicide = { sql: 'select pg_terminate_backend(pg_backend_pid())', params: [] }
    expect(await troubleOf(gate.interactive.query(suicide, { deadlineMs: 30_000 }))).toMatchObject({
      kind: 'server-shutting-down',
    })
    expect(seen.filter(({ status }) => status === 'connected').length).toBeLessThanOrEqual(3)
  })

  test('a way that is closed: the call says why by its deadline, and it is tried on', async () => {
    await proxy.refuse()
    const started = performance.now()
    expect(await troubleOf(gate.interactive.query(ONE, { deadlineMs: 1_500 }))).toMatchObject({
      kind: 'unreachable',
      code: 'ECONNREFUSED',
    })
    expect(performance.now() - started).toBeLessThan(6_000)
    expect(gate.state()).toMatchObject({
      status: 'reconnecting',
      reason: { kind: 'unreachable', code: 'ECONNREFUSED' },
    })
    await proxy.listen()
    await gate.reconnect()
    expect(await gate.interactive.query(ONE)).toStrictEqual([{ one: 1 }])
  })

  test('a reason that trying again does not change', async () => {
    const other = await open({ url: `postgres://app@127.0.0.1:${proxy.port}/postgres` })
    await administer(admin, 'alter role app nologin')
    await terminateOurs()
    await until(() => other.state().status === 'disconnected')
    expect(other.state()).toMatchObject({ reason: { kind: 'not-admitted', code: '28000' } })
    expect(await troubleOf(other.interactive.query(ONE))).toMatchObject({ kind: 'not-admitted' })
    expect(await troubleOf(other.reconnect())).toMatchObject({ kind: 'not-admitted' })
    await administer(admin, 'alter role app login')
    await other.reconnect()
    expect(await other.interactive.query(ONE)).toStrictEqual([{ one: 1 }])
  })

  test('names are looked up anew each time', async () => {
    let lookups = 0
    const lookup: Lookup = (_name, options, answer) => {
      lookups += 1
      if (lookups === 2) {
        answer(Object.assign(new Error('gone'), { code: 'ENOTFOUND' }), '')
      } else if (options.all === true) answer(null, [{ address: '127.0.0.1', family: 4 }])
      else answer(null, '127.0.0.1', 4)
    }
    const url = `postgres://postgres@db.test:${proxy.port}/postgres`
    const other = await open({ url, lookup })
    const reasons: unknown[] = []
    other.onState((state) => state.status === 'reconnecting' && reasons.push(state.reason.kind))
    proxy.cut()
    await until(() => other.state().status === 'reconnecting')
    expect(await other.interactive.query(ONE)).toStrictEqual([{ one: 1 }])
    expect(lookups).toBe(3)
    expect(reasons).toContain('no-such-host')
  })
})

describe('when nothing answers', () => {
  test('a black hole: the call ends by its deadline, and the next one works', async () => {
    proxy.mode = 'black-hole'
    const started = performance.now()
    expect(await troubleOf(gate.interactive.query(ONE, { deadlineMs: 500 }))).toMatchObject({
      kind: 'timeout',
      code: 'deadline',
    })
    const tookMs = performance.now() - started
    expect(tookMs).toBeGreaterThan(450)
    expect(tookMs).toBeLessThan(5_000)
    expect(gate.state()).toMatchObject({ status: 'reconnecting', reason: { kind: 'timeout' } })
    proxy.mode = 'pass'
    expect(await gate.interactive.query(ONE, { deadlineMs: 30_000 })).toStrictEqual([{ one: 1 }])
  })

  test('a black hole while connecting', async () => {
    proxy.mode = 'black-hole'
    const started = performance.now()
    expect(await troubleOf(open({ connectDeadlineMs: 500 }))).toMatchObject({ kind: 'timeout' })
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  test('a black hole while logging in', async () => {
    proxy.onceSent('application_name', () => {
      proxy.mode = 'black-hole'
    })
    expect(await troubleOf(open({ connectDeadlineMs: 500 }))).toMatchObject({ kind: 'timeout' })
  })

  test('calls behind one that hangs end by their own deadlines', async () => {
    proxy.mode = 'black-hole'
    const first = troubleOf(gate.interactive.query(ONE, { deadlineMs: 1_500 }))
    const second = troubleOf(gate.interactive.query(ONE, { deadlineMs: 300 }))
    expect(await Promise.race([first.then(() => 'first'), second.then(() => 'second')])).toBe(
      'second',
    )
    expect(await second).toMatchObject({ kind: 'timeout' })
    expect(await first).toMatchObject({ kind: 'timeout' })
  })

  test('a slow way is only slow', async () => {
    proxy.delayMs = 150
    expect(await gate.interactive.query(ONE)).toStrictEqual([{ one: 1 }])
    expect(seen).toStrictEqual([])
  })
})

describe('limits', () => {
  test('the server ends a statement that takes too long, and the connection stays', async () => {
    const [before] = await ours()
    expect(await troubleOf(gate.interactive.query(sleep(60)))).toMatchObject({
      kind: 'timeout',
      code: '57014',
    })
    expect((await ours())[0]?.pid).toBe(before?.pid)
  })

  test('a lock somebody holds is not waited for', async () => {
    await administer(admin, 'create table if not exists held (a int)')
    const holding = administer(
      admin,
      'begin',
      'lock table held in access exclusive mode',
      'select pg_sleep(3)',
    )
    await until(async () => {
      const rows = await administer<{ granted: boolean }>(
        admin,
        `select granted from pg_locks where relation = 'held'::regclass and granted`,
      )
      return rows.length > 0
    })
    const read = { sql: 'select * from held', params: [] }
    expect(await troubleOf(gate.interactive.query(read))).toMatchObject({
      kind: 'lock-timeout',
      code: '55P03',
    })
    await holding
  })

  test('many calls share two connections', async () => {
    const calls = Array.from({ length: 20 }, (_, at) =>
      (at % 2 === 0 ? gate.interactive : gate.background).query({
        sql: 'select $1::int as at',
        params: [at],
      }),
    )
    const answers = await Promise.all(calls)
    expect(answers).toStrictEqual(Array.from({ length: 20 }, (_, at) => [{ at }]))
    expect(await ours()).toHaveLength(2)
  })

  test('the background connection is given back when nobody uses it', async () => {
    await gate.close()
    const other = await open({ backgroundIdleMs: 100 })
    const slow = other.background.query(sleep(0.3))
    await untilRunning('pg_sleep')
    expect(await ours()).toHaveLength(2)
    await slow
    await until(async () => (await ours()).length === 1)
    expect(await other.background.query(ONE)).toStrictEqual([{ one: 1 }])
    expect(other.state().status).toBe('connected')
  })

  test('a full server leaves what is open alone', async () => {
    await administer(admin, 'alter role app connection limit 1')
    const other = await open({ url: `postgres://app@127.0.0.1:${proxy.port}/postgres` })
    expect(await troubleOf(other.background.query(ONE, { deadlineMs: 5_000 }))).toMatchObject({
      kind: 'too-many-connections',
      code: '53300',
    })
    expect(await other.interactive.query(ONE)).toStrictEqual([{ one: 1 }])
    await administer(admin, 'alter role app connection limit -1')
  })

  test('pauses double from a quarter of a second to ten, with chance', () => {
    expect([0, 1, 2, 5, 50].map((attempt) => backoffMs(attempt, () => 1))).toStrictEqual([
      500, 1_000, 2_000, 10_000, 10_000,
    ])
    expect([0, 5].map((attempt) => backoffMs(attempt, () => 0))).toStrictEqual([250, 250])
  })
})

describe('stopping', () => {
  async function pids(): Promise<number[]> {
    return (await ours()).map(({ pid }) => pid)
  }

  test('a long read is stopped on the server through the other connection', async () => {
    const long = troubleOf(gate.background.query(sleep(50)))
    await untilRunning('pg_sleep')
    const before = await pids()
    expect(await gate.background.cancel()).toBe(true)
    expect(await long).toMatchObject({ kind: 'cancelled' })
    // A server tells its client of an end before it tells everybody.
    await until(async () => (await ours()).every(({ state }) => state === 'idle'))
    expect((await ours())[0]?.query).toContain('pg_cancel_backend')
    expect(await gate.background.query(ONE)).toStrictEqual([{ one: 1 }])
    expect(await pids()).toStrictEqual(before)
  })

  test('without another connection a cancel request does it', async () => {
    const stop = new AbortController()
    const long = troubleOf(gate.interactive.query(sleep(50), { signal: stop.signal }))
    await untilRunning('pg_sleep')
    const before = await pids()
    stop.abort()
    expect(await long).toMatchObject({ kind: 'cancelled' })
    expect(await gate.interactive.query(ONE)).toStrictEqual([{ one: 1 }])
    expect(await pids()).toStrictEqual(before)
  })

  test('a call that waits is taken out, and the one that runs goes on', async () => {
    const stop = new AbortController()
    const first = gate.interactive.query(sleep(1))
    const second = troubleOf(gate.interactive.query(ONE, { signal: stop.signal }))
    const third = gate.interactive.query(ONE)
    await untilRunning('pg_sleep')
    stop.abort()
    expect(await second).toMatchObject({ kind: 'cancelled' })
    expect(await first).toStrictEqual([{ answer: 'slept' }])
    expect(await third).toStrictEqual([{ one: 1 }])
  })

  test('there is nothing to stop', async () => {
    expect(await gate.interactive.cancel()).toBe(false)
    const stopped = AbortSignal.abort()
    expect(await troubleOf(gate.interactive.query(ONE, { signal: stopped }))).toMatchObject({
      kind: 'cancelled',
    })
  })

  test('stopping in a black hole ends too, and claims nothing of the server', async () => {
    const long = troubleOf(gate.background.query(sleep(50)))
    await untilRunning('pg_sleep')
    proxy.mode = 'black-hole'
    const startedAt = performance.now()
    await gate.background.cancel()
    expect(performance.now() - startedAt).toBeLessThan(STOP_LIMIT_MS)
    const trouble = await long
    expect(trouble).toMatchObject({ kind: 'cancelled', code: 'unconfirmed' })
    expect(describeTrouble(trouble).what).toContain('the server did not confirm')
    // Nor did it stop.
    await untilRunning('pg_sleep')
    proxy.mode = 'pass'
    expect(await gate.background.query(ONE, { deadlineMs: 30_000 })).toStrictEqual([{ one: 1 }])
    await terminateOurs()
  })
})

describe('closing', () => {
  test('nothing is left, and calls are refused', async () => {
    await gate.background.query(ONE)
    await gate.close()
    expect(gate.state()).toMatchObject({ status: 'disconnected', reason: null })
    await until(async () => (await ours()).length === 0)
    expect(await troubleOf(gate.interactive.query(ONE))).toMatchObject({ code: 'closed' })
    expect(await troubleOf(gate.reconnect())).toMatchObject({ code: 'closed' })
  })

  test('while it reconnects', async () => {
    await proxy.refuse()
    await until(() => gate.state().status === 'reconnecting')
    await gate.close()
    const count = seen.length
    await new Promise((resume) => setTimeout(resume, 600))
    expect(seen).toHaveLength(count)
  })
})

describe('a first connection that fails', () => {
  const failure = (url: string) => troubleOf(open({ url }))

  test('names what is wrong', async () => {
    const place = `127.0.0.1:${proxy.port}`
    expect(await failure(`postgres://postgres@${place}/nowhere`)).toMatchObject({
      kind: 'no-such-database',
      code: '3D000',
    })
    expect(await failure(`postgres://nobody@${place}/postgres`)).toMatchObject({
      kind: 'not-admitted',
      code: '28000',
    })
    expect(await failure(`postgres://postgres@${place}/postgres?schema=Nowhere`)).toMatchObject({
      kind: 'no-such-schema',
      code: 'Nowhere',
    })
    expect(await failure('postgres://postgres@127.0.0.1:1/postgres')).toMatchObject({
      kind: 'unreachable',
      code: 'ECONNREFUSED',
    })
    expect(await failure('postgres://postgres@nowhere.invalid/postgres')).toMatchObject({
      kind: 'no-such-host',
    })
    expect(await failure('postgres:///postgres?host=/nowhere/at/all')).toMatchObject({
      kind: 'unreachable',
      code: 'ENOENT',
    })
  })
})
