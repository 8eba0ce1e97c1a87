import { createHash } from 'node:crypto'
import { Client, type ClientConfig } from 'pg'

import { pause } from '../polling-stream.ts'
import { type Connection, statement } from './connection.ts'

const CHANNEL = 'a2_inspector_news'
const MAX_IDLE_MS = 1_000
const RECONNECT_MS = 5_000
/** After news was told, further news waits this long and is told together: telling takes a lock of the whole server. */
const GATHER_MS = 20

/** Tells streams that a session has grown. Only a hint: a stream that hears nothing looks by itself. */
export interface News {
  /** To be called after a commit. */
  announce(sessionId: string): void
  /** Resolves on news of the session, after a pause that grows while nothing comes, or on abort. */
  wait(sessionId: string, rounds: number, intervalMs: number, signal: AbortSignal): Promise<void>
  /** A stream began or ended; a connection of its own is held while there is one. */
  join(): void
  leave(): void
  close(): Promise<void>
}

export function makeNews(
  options: ClientConfig,
  connection: Connection,
  schema: string | undefined,
): News {
  const listener = makeListener(options)
  const teller = makeTeller(connection)
  let streams = 0
  const keyOf = (sessionId: string): string =>
    createHash('md5')
      .update(JSON.stringify([schema ?? null, sessionId]))
      .digest('hex')
  return {
    announce: (sessionId) => teller.tell(keyOf(sessionId)),
    async wait(sessionId, rounds, intervalMs, signal) {
      const awake = new AbortController()
      const forget = listener.onNews(keyOf(sessionId), () => awake.abort())
      const longest = Math.max(MAX_IDLE_MS, intervalMs)
      try {
        const ms = Math.min(intervalMs * 2 ** Math.min(rounds, 20), longest)
        await pause(ms, AbortSignal.any([signal, awake.signal]))
      } finally {
        forget()
      }
    },
    join() {
      streams += 1
      if (streams === 1) listener.start()
    },
    leave() {
      streams -= 1
      if (streams === 0) void listener.stop()
    },
    async close() {
      await Promise.all([listener.stop(), teller.stop()])
    },
  }
}

function makeTeller(connection: Connection) {
  let gathered = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let telling: Promise<unknown> = Promise.resolve()
  let isStopped = false
  const send = (): void => {
    timer = undefined
    if (gathered.size === 0) return
    timer = setTimeout(send, GATHER_MS).unref()
    // Only a hint: a stream that does not get it looks by itself.
    telling = connection.query(notify(CHANNEL, [...gathered])).catch(() => {})
    gathered = new Set()
  }
  return {
    tell(key: string): void {
      if (isStopped) return
      gathered.add(key)
      if (timer === undefined) send()
    },
    async stop(): Promise<void> {
      isStopped = true
      clearTimeout(timer)
      await telling
    },
  }
}

/** A hint need not outlive a crash: its commit does not wait for the disk, where appends are waiting too. */
const notify = statement(
  `select set_config('synchronous_commit', 'off', true), pg_notify($1, key)
     from unnest($2::text[]) as key`,
)

function makeListener(options: ClientConfig) {
  const waiting = new Map<string, Set<() => void>>()
  let client: Client | undefined
  let retry: NodeJS.Timeout | undefined
  let ending: Promise<void> = Promise.resolve()

  const start = (): void => {
    retry = undefined
    const mine = new Client(options)
    client = mine
    mine.on('notification', ({ payload = '' }) => {
      for (const wake of waiting.get(payload) ?? []) wake()
    })
    const lose = (): void => {
      if (client !== mine) return
      client = undefined
      retry = setTimeout(start, RECONNECT_MS).unref()
      void mine.end().catch(() => {})
    }
    mine.on('error', lose)
    mine
      .connect()
      .then(() => mine.query(`listen ${CHANNEL}`))
      .catch(lose)
  }
  const stop = (): Promise<void> => {
    clearTimeout(retry)
    const mine = client
    client = undefined
    if (mine !== undefined) ending = endAfter(ending, mine)
    return ending
  }
  const onNews = (key: string, wake: () => void): (() => void) => {
    const wakers = waiting.get(key) ?? new Set()
    waiting.set(key, wakers.add(wake))
    return () => {
      wakers.delete(wake)
      if (wakers.size === 0) waiting.delete(key)
    }
  }
  return { start, stop, onNews }
}

async function endAfter(previous: Promise<void>, client: Client): Promise<void> {
  await Promise.allSettled([previous, client.end()])
}
