import { createORPCClient } from '@orpc/client'
import type { ClientContext, ClientLink } from '@orpc/client'
import { RPCLink as FetchLink } from '@orpc/client/fetch'

import type { BackgroundClient, DatabaseClient, HostClient } from '../../src/contract/index.ts'
import { makePortLink } from '../../src/contract/port-link.ts'
import { watchLink } from './watched-link.ts'

/**
 * What the preload offers in Electron. `connect` asks for a port to `host`, `db:<databaseId>` or
 * `bg:<databaseId>`; it arrives as a window message `{ type: 'a2:port', target }` with the port transferred.
 */
export interface A2Bridge {
  connect(target: string): void
  /** Ends the process behind a `bg:` target unless it answers soon: a call to it was given up. */
  check(target: string): void
  /** The absolute path of a dropped file. */
  pathForFile(file: File): string
  /** Commands of the native menu: find, palette, toggle-theme, open, shortcuts, back, forward, toggle-live. */
  onCommand(run: (command: string) => void): void
}

declare global {
  interface Window {
    readonly a2?: A2Bridge
  }
}

/** Calls carry nothing beside their input. */
type Link = ClientLink<ClientContext>

/** How long to wait for a port before asking again. */
const PORT_WAIT_MS = 5_000
const LONGEST_BACK_OFF_MS = 5_000

/**
 * In a browser every tab listens through a connection of its own, and a browser keeps only six to one
 * address: a hidden tab must give its own back, or the seventh tab would wait for ever.
 */
export const canListenWhileHidden = window.a2 !== undefined

export function connectHost(): HostClient {
  return createORPCClient(linkTo('host', '/rpc/host'))
}

/** A client that survives a restart of the process behind it: later calls wait for the new connection. */
export function connectDatabase(databaseId: string): DatabaseClient {
  return createORPCClient(linkTo(`db:${databaseId}`, `/rpc/db/${encodeURIComponent(databaseId)}`))
}

/** The same for what takes its time: nothing on screen waits behind it. */
export function connectBackground(databaseId: string): BackgroundClient {
  const target = `bg:${databaseId}`
  const link = linkTo(target, `/rpc/bg/${encodeURIComponent(databaseId)}`)
  // In browser mode the host does it.
  return createORPCClient(
    window.a2 === undefined ? link : watchLink(link, () => window.a2?.check(target)),
  )
}

function linkTo(target: string, path: string): Link {
  const bridge = window.a2
  if (bridge === undefined) return new FetchLink({ url: `${location.origin}${path}` })
  const ports = new ReconnectingPort(bridge, target)
  return {
    call: async (procedure, input, options) =>
      await (await ports.link()).call(procedure, input, options),
  }
}

class ReconnectingPort {
  readonly #bridge: A2Bridge
  readonly #target: string
  #current: Promise<Link> | null = null
  #failures = 0
  #lastFailureAt = 0

  constructor(bridge: A2Bridge, target: string) {
    this.#bridge = bridge
    this.#target = target
  }

  link(): Promise<Link> {
    this.#current ??= this.#connect()
    return this.#current
  }

  async #connect(): Promise<Link> {
    await this.#backOff()
    try {
      const port = await requestPort(this.#bridge, this.#target)
      port.addEventListener('close', () => this.#lose())
      const link = makePortLink(port)
      port.start()
      return link
    } catch (error) {
      this.#lose()
      throw error
    }
  }

  #lose(): void {
    this.#current = null
    if (performance.now() - this.#lastFailureAt > 4 * LONGEST_BACK_OFF_MS) this.#failures = 0
    this.#failures += 1
    this.#lastFailureAt = performance.now()
  }

  async #backOff(): Promise<void> {
    if (this.#failures === 0) return
    const delay = Math.min(LONGEST_BACK_OFF_MS, 50 * 2 ** this.#failures)
    await new Promise((resolve) => setTimeout(resolve, delay))
  }
}

function requestPort(bridge: A2Bridge, target: string): Promise<MessagePort> {
  const { promise, resolve, reject } = Promise.withResolvers<MessagePort>()
  const onMessage = (event: MessageEvent): void => {
    const port = event.ports[0]
    if (event.source !== window || port === undefined || !isPortFor(event.data, target)) return
    removeEventListener('message', onMessage)
    clearTimeout(timer)
    resolve(port)
  }
  const timer = setTimeout(() => {
    removeEventListener('message', onMessage)
    reject(new Error(`no connection to ${target}`))
  }, PORT_WAIT_MS)
  addEventListener('message', onMessage)
  bridge.connect(target)
  return promise
}

function isPortFor(data: unknown, target: string): boolean {
  if (typeof data !== 'object' || data === null) return false
  return 'type' in data && data.type === 'a2:port' && 'target' in data && data.target === target
}

const commandListeners = new Set<(command: string) => void>()
window.a2?.onCommand((command) => {
  for (const listener of commandListeners) listener(command)
})

/** Hears the native menu; never called in a browser. */
export function onMenuCommand(listener: (command: string) => void): () => void {
  commandListeners.add(listener)
  return () => commandListeners.delete(listener)
}

/** The path of a dropped file; null where the host does not tell, in a browser tab. */
export function pathOfDropped(file: File): string | null {
  return window.a2?.pathForFile(file) ?? null
}
