import { MessageChannel } from 'node:worker_threads'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { Meter } from '../../src/inspector/meter.ts'
import { openBackgroundHalf } from '../../src/inspector/open-background.ts'
import { Pace } from '../../src/inspector/pace.ts'
import type { Reader } from '../../src/inspector/reader.ts'
import type { ScanPort } from '../../src/inspector/scans/messages.ts'
import { openRemoteScans, RemoteScans } from '../../src/inspector/scans/remote-scans.ts'
import { openLocalScans } from '../../src/inspector/scans/scan-reader.ts'
import { openSqliteReader } from '../../src/inspector/sqlite-reader.ts'
import { describeReader } from './describe-reader.ts'
import {
  copyFixture,
  FIXTURE_NOW,
  makeFolder,
  openInTwo,
  toScanPort,
  until,
  viewAll,
} from './support/open.ts'
import { insertRows, makeBareTables, openApp } from './support/tables.ts'

describeReader({
  name: 'sqlite, scanned by the other half',
  open: (fixture) => openInTwo(copyFixture(fixture), { now: FIXTURE_NOW }).client,
  facts: { dialect: 'sqlite', eventsUpperBound: 488 },
  json: { storage: 'text', spell: (text) => text },
})

/** A half that answers, and the one that asks it. `die`: as if the process had ended. */
function connect(path: string) {
  const calls: string[] = []
  const wanted = vi.fn<() => void>()
  const stuck = vi.fn<() => void>()
  const remote = new RemoteScans({ path, onWanted: wanted, onStuck: stuck })
  onTestFinished(() => remote.close())
  const start = () => {
    const half = openBackgroundHalf({
      path,
      onDefect: (defect) => {
        throw defect
      },
    })
    const { port1, port2 } = new MessageChannel()
    const server = toScanPort(port1)
    half.serveScans({
      ...server,
      onMessage: (listener) =>
        server.onMessage((message) => {
          calls.push(JSON.stringify(message))
          listener(message)
        }),
    })
    remote.attach(toScanPort(port2))
    const die = (): void => {
      half.close()
      port1.close()
    }
    onTestFinished(die)
    return { die }
  }
  return { remote, scans: openRemoteScans(remote), start, calls, wanted, stuck }
}

/** Takes what it is told, and never answers. */
function deafPort(): { readonly port: ScanPort; readonly heard: unknown[]; end(): void } {
  const heard: unknown[] = []
  const listeners: (() => void)[] = []
  return {
    heard,
    port: {
      send: (message) => void heard.push(message),
      onMessage: () => {},
      onClose: (listener) => void listeners.push(listener),
      close: () => {},
    },
    end: () => {
      for (const listener of listeners) listener()
    },
  }
}

function openReader(path: string): Reader {
  const reader = openSqliteReader({ path, clock: { now: () => new Date() }, meter: new Meter() })
  onTestFinished(() => reader.close())
  return reader
}

const ODD = ['', 'plain', 'emoji 👩🏽‍🚀', 'line\u2028separator', '\u202eright to left']

function makeOdd(options = ''): string {
  const path = `${makeFolder()}/odd.db`
  const app = openApp(path)
  makeBareTables(app, options)
  insertRows(
    app,
    ODD.flatMap((session, n) => [
      { session, index: 1 },
      { session, index: 2, processedAt: null, lane: n % 2 === 0 ? null : `lane ${n}` },
      { session, index: 3, processedAt: null, laneReady: 0, lane: 'l', claimExpiresAt: 7 },
      { session, index: 4, processedAt: null, failedAt: 1_768_000_000_000 + n, failures: 3 },
    ]),
  )
  app.exec("insert into a2_clears values ('plain', 2)")
  return path
}

describe.each([
  ['rows with numbers', ''],
  ['rows without', 'without rowid'],
])('what the other half answers: %s', (_, options) => {
  it('is what this one would have answered', async () => {
    const path = makeOdd(options)
    const { scans: there, start } = connect(path)
    start()
    const reader = openReader(path)
    const pace = new Pace(
      () => 0,
      () => 12,
    )
    const here = openLocalScans(reader, pace)
    const [{ sessions, next }, page] = await Promise.all([
      here.sessionPage(null, 3),
      there.sessionPage(null, 3),
    ])
    expect(page.sessions).toStrictEqual(sessions)
    expect(page.sessions.map(({ id }) => id)).toContain('')
    expect(await there.sessionPage(page.next, 9)).toStrictEqual(await here.sessionPage(next, 9))
    const step = await there.unfinishedStep(null, 100)
    expect(step).toStrictEqual(await here.unfinishedStep(null, 100))
    expect(step.rows).toHaveLength(3 * ODD.length)
    for (const ask of [
      (scans: typeof here) => scans.capabilities(),
      (scans: typeof here) => scans.listed([...ODD, 'no such']),
      (scans: typeof here) => scans.predecessors(ODD),
      (scans: typeof here) => scans.clearIndexes(ODD),
      (scans: typeof here) => scans.gone({ sessionId: 'plain', from: 1, through: 9 }),
      (scans: typeof here) => scans.sessionUnfinished({ sessionId: 'plain', from: 3 }, 100),
      (scans: typeof here) => scans.locate('plain#3'),
      (scans: typeof here) => scans.locate('nowhere'),
      (scans: typeof here) =>
        scans.markers({
          sessionId: 'plain',
          from: 1,
          through: 4,
          markerType: 'thing.happened',
          clearIndex: 2,
        }),
    ]) {
      expect(await ask(there)).toStrictEqual(await ask(here))
    }
  })

  it('says of known rows only what changed', async () => {
    const path = makeOdd(options)
    const { scans, start } = connect(path)
    start()
    const { rows } = await scans.unfinishedStep(null, 100)
    expect(await scans.unfinishedAgain(rows)).toSatisfy((again: unknown[]) =>
      again.every((row, n) => row === rows[n]),
    )
    openApp(path).exec(
      `update a2_events set processed_at = 5 where session_id = 'plain' and idx = 2;
       update a2_events set failed_at = null, failure_count = 0 where session_id = '' and idx = 4;
       update a2_events set claim_expires_at = null where session_id = '' and idx = 3`,
    )
    const again = await scans.unfinishedAgain(rows)
    const rowOf = (session: string, index: number) =>
      rows.findIndex((row) => row.sessionId === session && row.index === index)
    const [finished, waiting, revived] = [rowOf('plain', 2), rowOf('', 3), rowOf('', 4)]
    const changed = rows.flatMap((row, n) => (again[n] === row ? [] : [n]))
    expect(new Set(changed)).toStrictEqual(new Set([finished, waiting, revived]))
    expect(again[finished]).toBeNull()
    expect(again[waiting]).toStrictEqual({ ...rows[waiting], claimExpiresAt: null })
    expect(again[revived]).toStrictEqual({ ...rows[revived], failedAt: null, failureCount: 0 })
  })
})

describe('the other half', () => {
  it('ends in the middle of a pass: the next one goes on, and nothing is missed or counted twice', async () => {
    const path = `${makeFolder()}/many.db`
    const app = openApp(path)
    makeBareTables(app)
    insertRows(
      app,
      Array.from({ length: 30_000 }, (_, n) => ({
        session: `s${n % 300}`,
        index: Math.floor(n / 300) + 1,
        processedAt: n % 10 === 0 ? null : 1,
        failedAt: n % 100 === 0 ? n : null,
      })),
    )
    const { client, remote } = openInTwo(path)
    let deaths = 0
    const ask = remote.ask.bind(remote)
    vi.spyOn(remote, 'ask').mockImplementation((call, args, options) => {
      const answer = ask(call, args, options)
      if (deaths < 5 && (call === 'unfinishedRange' || call === 'sessionPage')) {
        deaths += 1
        const half = openBackgroundHalf({ path, onDefect: () => {} })
        onTestFinished(() => half.close())
        const { port1, port2 } = new MessageChannel()
        half.serveScans(toScanPort(port1))
        // The one before has been asked, and will not be heard.
        remote.attach(toScanPort(port2))
      }
      return answer
    })
    const view = await viewAll(client)
    expect(deaths).toBe(5)
    expect(view).toMatchObject({ total: 300, isListComplete: true, isWorkComplete: true })
    const rows = await client.sessions.rows({ viewId: view.viewId, offset: 0, limit: 200 })
    expect(rows).toHaveLength(200)
    const dead = await client.deadLetters.view({ text: '' })
    expect(dead.total).toBe(300)
  })

  it('is asked again what the one before did not answer', async () => {
    const { remote, scans, start, wanted } = connect(copyFixture('small.db'))
    const deaf = deafPort()
    remote.attach(deaf.port)
    const tip = scans.tip()
    await until(() => deaf.heard.length > 0, 'the first one asked')
    deaf.end()
    expect(wanted).toHaveBeenCalledOnce()
    start()
    expect(await tip).toMatchObject({ rowid: 488 })
  })

  it('ends with each attempt: the call fails, and says why', async () => {
    const path = copyFixture('small.db')
    const { remote, scans } = connect(path)
    const asked = scans.tip().catch((error: unknown) => error)
    for (const deaf of [deafPort(), deafPort()]) {
      remote.attach(deaf.port)
      await until(() => deaf.heard.length > 0, 'it was asked')
      deaf.end()
    }
    expect(await asked).toMatchObject({ trouble: { kind: 'process-ended', path, code: null } })
  })

  it('hears at once that a look is not wanted any more', async () => {
    const path = makeOdd()
    const { remote, scans, start, calls, stuck } = connect(path)
    start()
    const stop = new AbortController()
    const found = scans.locate('nowhere', stop.signal)
    stop.abort(new Error('enough'))
    await expect(found).rejects.toThrow('enough')
    await until(() => calls.some((call) => call.includes('cancel')), 'it was told')
    // It answers the next, and is not taken for stuck.
    expect(await remote.ask('tip', [])).toMatchObject({ rowid: 20 })
    expect(stuck).not.toHaveBeenCalled()
  })

  it('is taken for stuck when it does not answer a cancelled call', async () => {
    const { remote, scans, stuck } = connect(copyFixture('small.db'))
    const deaf = deafPort()
    remote.attach(deaf.port)
    const stop = new AbortController()
    const found = scans.locate('nowhere', stop.signal)
    stop.abort(new Error('enough'))
    await expect(found).rejects.toThrow('enough')
    await until(() => stuck.mock.calls.length > 0, 'it was taken for stuck')
    expect(deaf.heard).toMatchObject([{ kind: 'call', call: 'locate' }, { kind: 'cancel' }])
  })

  it('does not keep a session from being opened', async () => {
    const path = `${makeFolder()}/cleared.db`
    const app = openApp(path)
    makeBareTables(app)
    insertRows(
      app,
      Array.from({ length: 9000 }, (_, n) => ({ session: 's', index: n + 1, processedAt: null })),
    )
    app.exec("insert into a2_clears values ('s', 8000)")
    const { client, remote } = openInTwo(path)
    remote.attach(deafPort().port)
    const session = await client.sessions.get({ sessionId: 's' })
    expect(session.summary).toMatchObject({ head: 9000, clearIndex: 8000, live: 1000 })
  })

  it('cannot be had: what is known without it is shown, and the rest as soon as there is one', async () => {
    const path = copyFixture('small.db')
    const { client, remote } = openInTwo(path, { now: FIXTURE_NOW })
    const asked: { end(): void }[] = []
    // Each ends as soon as it is asked something.
    const begin = (): void => {
      const deaf = deafPort()
      asked.push(deaf)
      remote.attach({ ...deaf.port, send: () => setTimeout(() => deaf.end(), 0) })
    }
    const death = setInterval(begin, 20)
    onTestFinished(() => clearInterval(death))
    begin()
    const list: Parameters<typeof client.sessions.view>[0] = {
      sort: 'activity',
      direction: 'desc',
      text: '',
      chips: [],
    }
    for (let n = 0; n < 5; n += 1) {
      const view = await client.sessions.view(list)
      expect(view).toMatchObject({ total: 8, isListComplete: false, isWorkComplete: false })
      expect(await client.deadLetters.view({ text: '' })).toMatchObject({ isComplete: false })
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
    expect(asked.length).toBeGreaterThan(5)
    expect(await client.sessions.get({ sessionId: 'chat:demo' })).toMatchObject({
      lifetimes: [{}, {}],
    })

    clearInterval(death)
    const half = openBackgroundHalf({ path, onDefect: () => {} })
    onTestFinished(() => half.close())
    const { port1, port2 } = new MessageChannel()
    half.serveScans(toScanPort(port1))
    remote.attach(toScanPort(port2))
    expect(await viewAll(client)).toMatchObject({ total: 8, chips: { dead: 1 } })
  })

  it('is not waited for by who wants to clear a session', async () => {
    const path = `${makeFolder()}/long.db`
    const app = openApp(path)
    makeBareTables(app)
    insertRows(
      app,
      Array.from({ length: 4000 }, (_, n) => ({
        session: 's',
        index: n + 1,
        processedAt: n < 3000 ? 1 : null,
      })),
    )
    const { client, remote } = openInTwo(path)
    remote.attach(deafPort().port)
    const preview = await client.actions.previewClear({ sessionId: 's' })
    expect(preview).toMatchObject({ work: { ready: 1000 } })
  })

  it('notices that another file stands there', async () => {
    const path = makeOdd()
    const { remote, scans, start } = connect(path)
    start()
    await scans.capabilities()
    const before = remote.epoch
    await scans.tip()
    expect(remote.epoch).toBe(before)
    openApp(path).exec('create index added on a2_events (event_id)')
    expect(await scans.capabilities()).toMatchObject({ hasEventIdIndex: true })
    expect(remote.epoch).toBe(before + 1)
  })
})
