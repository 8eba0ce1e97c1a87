import { connect, createServer, type Server, type Socket } from 'node:net'

/** A way to a server that can be made slow, cut, or swallow everything. */
export interface Proxy {
  readonly port: number
  /** Where new connections lead. */
  target: number
  /** pass, or black-hole: packets go nowhere, and nothing is closed. */
  mode: 'pass' | 'black-hole'
  /** What the server sends does not arrive. */
  isDeaf: boolean
  /** For what the server sends. */
  delayMs: number
  /** Resets all connections. */
  cut(): void
  /** Refuses new connections until `listen`. */
  refuse(): Promise<void>
  listen(): Promise<void>
  /** Runs once, when bytes of a client contain this text, before they are passed on. */
  onceSent(text: string, run: () => void): void
  close(): Promise<void>
}

export async function startProxy(target: number): Promise<Proxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let server: Server | undefined
  let watch: { readonly text: string; readonly run: () => void } | undefined
  const state = { port: 0, target, mode: 'pass' as Proxy['mode'], isDeaf: false, delayMs: 0 }
  const join = (client: Socket): void => {
    const upstream = connect(state.target, '127.0.0.1')
    const pair = [client, upstream] as const
    pairs.add(pair)
    const end = (): void => {
      if (state.mode === 'black-hole') return
      client.destroy()
      upstream.destroy()
      pairs.delete(pair)
    }
    client.on('data', (chunk) => {
      if (watch !== undefined && chunk.includes(watch.text)) {
        const { run } = watch
        watch = undefined
        run()
      }
      if (state.mode === 'pass') upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      const pass = (): void => void (state.mode === 'pass' && !state.isDeaf && client.write(chunk))
      if (state.delayMs === 0) pass()
      else setTimeout(pass, state.delayMs)
    })
    for (const socket of pair) socket.on('error', end).on('close', end)
  }
  const proxy: Proxy = Object.assign(state, {
    cut() {
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      pairs.clear()
    },
    onceSent(text: string, run: () => void) {
      watch = { text, run }
    },
    async refuse() {
      const closed = new Promise<void>((resolve) => server?.close(() => resolve()))
      proxy.cut()
      await closed
    },
    listen: () =>
      new Promise<void>((resolve) => {
        server = createServer(join).listen(state.port, '127.0.0.1', () => {
          const address = server?.address()
          state.port = typeof address === 'object' && address !== null ? address.port : 0
          resolve()
        })
      }),
    close: () => proxy.refuse(),
  })
  await proxy.listen()
  return proxy
}
