import { duplicateEventId } from './errors.ts'

/** The ids that were given; throws when one is given twice. */
export function suppliedIds(events: readonly { readonly id?: string | undefined }[]): string[] {
  const ids = new Set<string>()
  for (const { id } of events) {
    if (id === undefined) continue
    if (ids.has(id)) throw duplicateEventId(id)
    ids.add(id)
  }
  return [...ids]
}
