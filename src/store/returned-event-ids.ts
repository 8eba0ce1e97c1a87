import type { EventCause } from '../model/event.ts'

/** Whether completing with `asked` repeats the completion that recorded `recorded`. */
export function isSameReturn(recorded: readonly string[], asked: readonly string[]): boolean {
  const known = new Set(recorded)
  return known.size === asked.length && asked.every((id) => known.has(id))
}

export function isCause(cause: EventCause | null, index: number, attempt: number): boolean {
  return cause !== null && cause.index === index && cause.attempt === attempt
}

/** Ids as recorded by the completing attempt; null when nothing readable was recorded. */
export function toReturnedIds(stored: unknown): string[] | null {
  const isList = Array.isArray(stored) && stored.every((id) => typeof id === 'string')
  return isList ? stored : null
}
