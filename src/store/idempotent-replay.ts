import type { StoredEvent } from './store.ts'

/** The stored events of a batch that was appended before, in the order asked. */
export function idempotentReplay(
  asked: readonly { readonly id?: string | undefined }[],
  stored: readonly StoredEvent[],
): StoredEvent[] {
  const byId = new Map(stored.map((event) => [event.id, event]))
  return asked.map(({ id }) => {
    const event = id === undefined ? undefined : byId.get(id)
    if (event === undefined) throw new Error('a replay must name stored events only')
    return event
  })
}
