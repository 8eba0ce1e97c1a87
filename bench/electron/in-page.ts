import { createORPCClient } from '@orpc/client'

import type { BackgroundClient, DatabaseClient } from '../../src/contract/index.ts'
import { makePortLink } from '../../src/contract/port-link.ts'

/** Runs inside of a page, for what has to be timed there. Left in the page as `a2Bench`. */
interface PageWanted {
  readonly sessionId: string
  readonly from: number
  readonly to: number
}

interface Call {
  /** Epoch ms. */
  readonly at: number
  readonly tookMs: number
}

interface Ask {
  (wanted: PageWanted): Promise<unknown>
}

const epochNow = (): number => Date.now()

/** The next port for a target, asked for by `ask`. */
async function takePort(target: string, ask: () => void): Promise<MessagePort> {
  const { promise, resolve } = Promise.withResolvers<MessagePort>()
  const hear = ({ data, ports: [port] }: MessageEvent): void => {
    if (data?.type !== 'a2:port' || data.target !== target || port === undefined) return
    removeEventListener('message', hear)
    resolve(port)
  }
  addEventListener('message', hear)
  ask()
  const port = await promise
  port.start()
  return port
}

function openPort(target: string): Promise<MessagePort> {
  const bridge: { connect(target: string): void } = Reflect.get(window, 'a2')
  return takePort(target, () => bridge.connect(target))
}

/** When the first word of a search came through this port; rejects when the process behind it ends before. */
async function firstWord(port: MessagePort): Promise<number> {
  const client: BackgroundClient = createORPCClient(makePortLink(port))
  const gone = new Promise<never>((_, reject) => {
    port.addEventListener('close', () => reject(new Error('the process ended')))
    setTimeout(() => reject(new Error('no word')), LONGEST_WAIT_MS)
  })
  const answered = (async () => {
    for await (const _ of await client.search(SOMETHING)) return epochNow()
    throw new Error('a search without a word')
  })()
  answered.catch(() => undefined)
  try {
    return await Promise.race([answered, gone])
  } finally {
    port.close()
  }
}

const LONGEST_WAIT_MS = 5_000
const MOST_ATTEMPTS = 20

const SOMETHING = {
  text: 'a',
  matchCase: false,
  sessionId: null,
  eventType: null,
  after: null,
  scope: 'payload',
} as const

function databaseId(): string {
  return /\/d\/([\w-]{22})/.exec(location.href)?.[1] ?? ''
}

let opened: Promise<DatabaseClient> | undefined
function database(): Promise<DatabaseClient> {
  opened ??= openPort(`db:${databaseId()}`).then((port) => createORPCClient(makePortLink(port)))
  return opened
}

async function background(): Promise<BackgroundClient> {
  const port = await openPort(`bg:${databaseId()}`)
  return createORPCClient(makePortLink(port))
}

async function askThroughPort(): Promise<Ask> {
  const client = await database()
  return (wanted) => client.events.range(wanted)
}

function askThroughMain(): Ask {
  const lab: { page: Ask } = Reflect.get(window, 'lab')
  return lab.page
}

/** Asks one after the other, `times` times. */
async function times(ask: Ask, wanted: PageWanted, count: number): Promise<number[]> {
  const took: number[] = []
  for (let n = 0; n < count; n += 1) {
    const startedAt = performance.now()
    await ask(wanted)
    took.push(performance.now() - startedAt)
  }
  return took
}

const pause = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms))
const frame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))

const bench = {
  timePages: async (wanted: PageWanted, count: number) =>
    times(await askThroughPort(), wanted, count),
  timeInvokedPages: (wanted: PageWanted, count: number) => times(askThroughMain(), wanted, count),

  /** Asks one after the other, with a pause between, for so long. */
  async callsFor(wanted: PageWanted, { forMs, pauseMs }: { forMs: number; pauseMs: number }) {
    const ask = await askThroughPort()
    const calls: Call[] = []
    const until = performance.now() + forMs
    while (performance.now() < until) {
      const at = epochNow()
      const startedAt = performance.now()
      await ask(wanted)
      calls.push({ at, tookMs: performance.now() - startedAt })
      await pause(pauseMs)
    }
    return calls
  },

  /** Gaps between animation frames, for so long. */
  async frameGaps(forMs: number) {
    const gaps: number[] = []
    let before = await frame()
    const until = before + forMs
    while (before < until) {
      const now = await frame()
      gaps.push(now - before)
      before = now
    }
    return gaps
  },

  /** When each new event was told to this page, epoch ms by `session index`; begins once it listens. */
  async listen() {
    const client = await database()
    const heard: [key: string, at: number][] = []
    const ending = new AbortController()
    const messages = await client.live({ isVisible: true }, { signal: ending.signal })
    const { promise: ready, resolve } = Promise.withResolvers<void>()
    const listening = (async () => {
      for await (const message of messages) {
        if (message.kind === 'hello') resolve()
        if (message.kind !== 'events') continue
        const at = epochNow()
        for (const { sessionId, index } of message.events) heard.push([`${sessionId} ${index}`, at])
      }
    })().catch(() => undefined)
    await ready
    Reflect.set(window, 'a2BenchStop', async () => {
      ending.abort()
      await listening
      return heard
    })
  },
  stopListening: (): Promise<[string, number][]> => Reflect.get(window, 'a2BenchStop')(),

  /** Searches all over again until it is stopped; answers how often it came to an end. */
  async searchUntilStopped(text: string) {
    const client = await background()
    const stopping = new AbortController()
    let ends = 0
    const wanted = { text, matchCase: false, sessionId: null, eventType: null, after: null }
    const searching = (async () => {
      for (;;) {
        const { signal } = stopping
        const messages = await client.search({ ...wanted, scope: 'payload' }, { signal })
        for await (const { kind } of messages) if (kind === 'end') ends += 1
        if (signal.aborted) return
      }
    })().catch(() => undefined)
    Reflect.set(window, 'a2BenchStopSearch', async () => {
      stopping.abort()
      await searching
      return ends
    })
  },
  /** Begins to wait for a port that this page does not ask for. */
  expectPort(target: string) {
    Reflect.set(
      window,
      'a2BenchPort',
      takePort(target, () => undefined),
    )
  },
  /** When the first word of a search came through it, epoch ms. */
  firstWordThroughIt: async (): Promise<number> =>
    firstWord(await Reflect.get(window, 'a2BenchPort')),

  /** Gives up on a search that does not answer, as the screens do, and waits for the first word of another. In ms. */
  async cancelAndSearch() {
    const target = `bg:${databaseId()}`
    const bridge: { check(target: string): void } = Reflect.get(window, 'a2')
    firstWord(await openPort(target)).catch(() => undefined)
    await pause(100)
    const startedAt = epochNow()
    bridge.check(target)
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      try {
        return (await firstWord(await openPort(target))) - startedAt
      } catch {
        await pause(10)
      }
    }
    throw new Error('the background did not come back')
  },
  stopSearching: (): Promise<number> => Reflect.get(window, 'a2BenchStopSearch')(),
}

export type InPage = typeof bench

Reflect.set(window, 'a2Bench', bench)
