/** The two streams of calls that go through the one channel between a process and its child, beside what is about the child itself. */
export type PortName = 'scans' | 'calls'

interface Enveloped {
  readonly port: PortName
  readonly data: unknown
}

/** One end of the channel: `process` in a child, the child in its parent. */
export interface ForkChannel {
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
  onClose(listener: () => void): void
}

/** One of the streams; what the RPC library takes for a message port. */
export interface ForkPort {
  on(event: string, listener: (event?: { data: unknown }) => void): void
  postMessage(message: unknown): void
}

export function openForkPort(channel: ForkChannel, port: PortName): ForkPort {
  return {
    on(event, listener) {
      if (event === 'close') channel.onClose(listener)
      if (event !== 'message') return
      channel.onMessage((message) => {
        if (isFor(port, message)) listener({ data: message.data })
      })
    },
    postMessage: (data) => channel.send({ port, data } satisfies Enveloped),
  }
}

function isFor(port: PortName, message: unknown): message is Enveloped {
  return (
    typeof message === 'object' && message !== null && 'port' in message && message.port === port
  )
}
