import { onTestFinished } from 'vitest'

import type { LiveMessage, NewEvent } from '../../../src/model/live.ts'
import { type Client, until } from './open.ts'

export interface Listener {
  /** Everything heard so far. */
  readonly heard: LiveMessage[]
  /** The events of all messages, in the order heard. */
  readonly events: () => NewEvent[]
  /** Waits for a message of a kind, from the `after`th message on. */
  readonly hear: <Kind extends LiveMessage['kind']>(
    kind: Kind,
    after?: number,
  ) => Promise<Extract<LiveMessage, { kind: Kind }>>
  readonly stop: () => Promise<void>
}

/** Listens from now on; `hello` has been heard when this returns. */
export async function listen(client: Client, isVisible = true): Promise<Listener> {
  const messages = await client.live({ isVisible })
  const heard: LiveMessage[] = []
  const ended = (async () => {
    for await (const message of messages) heard.push(message)
  })()
  const stop = async (): Promise<void> => {
    await messages.return?.()
    await ended
  }
  onTestFinished(stop)
  const listener: Listener = {
    heard,
    events: () => heard.flatMap((message) => (message.kind === 'events' ? message.events : [])),
    hear: (kind, after = 0) =>
      until(
        () => heard.slice(after).find((message) => isKind(message, kind)),
        `a ${kind}`,
      ) as never,
    stop,
  }
  await listener.hear('hello')
  return listener
}

function isKind(message: LiveMessage, kind: LiveMessage['kind']): boolean {
  return message.kind === kind
}
