import { createRouterClient, type RouterClient } from '@orpc/server'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { onTestFinished, vi } from 'vitest'

import { openBackgroundHalf } from '../../../src/inspector/open-background.ts'
import { openInspector } from '../../../src/inspector/open-inspector.ts'
import { openPostgresInspector } from '../../../src/inspector/open-postgres-inspector.ts'
import type { PostgresServer } from '../../../src/inspector/postgres/server.ts'
import type { ScanPort } from '../../../src/inspector/scans/messages.ts'
import { RemoteScans } from '../../../src/inspector/scans/remote-scans.ts'

// `until` waits for ten seconds before it says what never happened: a slow machine is no failure.
vi.setConfig({ testTimeout: 30_000 })

/** The moment in which the fixtures were written to be looked at. */
export const FIXTURE_NOW = 1_768_214_476_800

export type Client = RouterClient<ReturnType<typeof openInspector>['router']>
export type BackgroundClient = RouterClient<ReturnType<typeof openInspector>['backgroundRouter']>

export interface Opened {
  readonly client: Client
  readonly background: BackgroundClient
  readonly dataFolder: string
  readonly defects: unknown[]
  readonly close: () => Promise<void>
}

/** A folder that is gone after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'a2-inspector-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A copy of a fixture in a folder of its own. */
export function copyFixture(name: 'small.db' | 'legacy-016.db'): string {
  const path = join(makeFolder(), name)
  copyFileSync(join(import.meta.dirname, '../../fixtures', name), path)
  return path
}

type Database =
  | { readonly path: string; readonly remote?: RemoteScans }
  | { readonly postgres: PostgresServer }

interface OpenOptions {
  readonly now?: number
  /** Instead of `now`, asked each time; epoch ms. */
  readonly clock?: () => number
  readonly dataFolder?: string
}

/** Opens a file and closes it after the test. Defects fail the test. */
export function open(path: string, options: OpenOptions = {}): Opened & { readonly path: string } {
  return { ...openDatabase({ path }, options), path }
}

/** The same, scanned by the other half: as if by another process, but for the process. */
export function openInTwo(
  path: string,
  options: OpenOptions = {},
): Opened & { readonly path: string; readonly remote: RemoteScans } {
  const { now, clock = now === undefined ? () => Date.now() : () => now } = options
  const half = openBackgroundHalf({
    path,
    clock: { now: () => new Date(clock()) },
    onDefect: (defect) => {
      throw defect
    },
  })
  onTestFinished(() => half.close())
  const remote = new RemoteScans({ path, onWanted: () => {}, onStuck: () => {} })
  const { port1, port2 } = new MessageChannel()
  half.serveScans(toScanPort(port1))
  remote.attach(toScanPort(port2))
  return { ...openDatabase({ path, remote }, options), path, remote }
}

export function toScanPort(port: MessagePort): ScanPort {
  return {
    send: (message) => port.postMessage(message),
    onMessage: (listener) => void port.on('message', listener),
    onClose: (listener) => void port.on('close', listener),
    close: () => port.close(),
  }
}

/** The same for any database. */
export function openDatabase(database: Database, options: OpenOptions = {}): Opened {
  const dataFolder = options.dataFolder ?? join(makeFolder(), 'data')
  const defects: unknown[] = []
  const { now, clock = now === undefined ? undefined : () => now } = options
  const shared = {
    dataFolder,
    ...(clock === undefined ? {} : { clock: { now: () => new Date(clock()) } }),
    onDefect: (defect: unknown) => defects.push(defect),
  }
  const inspector =
    'postgres' in database
      ? openPostgresInspector({ ...database, ...shared })
      : openInspector({ ...database, ...shared })
  let isClosed = false
  const close = async (): Promise<void> => {
    if (isClosed) return
    isClosed = true
    await inspector.close()
  }
  onTestFinished(async () => {
    await close()
    if (defects.length > 0) throw new AggregateError(defects, 'defects in the background')
  })
  return {
    client: createRouterClient(inspector.router),
    background: createRouterClient(inspector.backgroundRouter),
    dataFolder,
    defects,
    close,
  }
}

/** Waits until `check` answers something; fails after ten seconds. */
export async function until<T>(check: () => T | Promise<T>, what: string): Promise<NonNullable<T>> {
  const giveUpAt = Date.now() + 10_000
  for (;;) {
    const answer = await check()
    if (answer !== undefined && answer !== null && answer !== false) return answer
    if (Date.now() > giveUpAt) throw new Error(`never happened: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** A list of sessions once everything is listed and counted. */
export async function viewAll(
  client: Client,
  wanted: Partial<Parameters<Client['sessions']['view']>[0]> = {},
) {
  return until(async () => {
    const view = await client.sessions.view({
      sort: 'activity',
      direction: 'desc',
      text: '',
      chips: [],
      ...wanted,
    })
    return view.isListComplete && view.isWorkComplete ? view : null
  }, 'everything listed and counted')
}

/** The error's code and data, as a screen sees it. */
export async function failureOf(run: Promise<unknown>): Promise<{ code: string; data: unknown }> {
  try {
    await run
  } catch (error) {
    const { code, data } = error as { code: string; data: unknown }
    return { code, data }
  }
  throw new Error('it did not fail')
}
