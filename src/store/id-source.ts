/**
 * The ids of one operation by position: asked again when its transaction runs again, an event keeps
 * the id it was given.
 */
export function makeIdSource(generateId: () => string): (position: number) => string {
  const made = new Map<number, string>()
  return (position) => {
    let id = made.get(position)
    if (id === undefined) made.set(position, (id = generateId()))
    return id
  }
}
