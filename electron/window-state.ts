import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

import { THEMES } from '../src/contract/index.ts'
import { writeFileAtomically } from '../src/inspector/recent-files.ts'

const schema = z.object({
  theme: z.enum(THEMES).catch('system'),
  bounds: z
    .object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) })
    .nullable()
    .catch(null),
  isMaximized: z.boolean().catch(false),
  /** Newest last: where the person was in each database. */
  places: z.array(z.object({ databaseId: z.string(), url: z.string().max(65_536) })).catch([]),
})
type State = z.infer<typeof schema>

/** More than anyone has open. */
const KEPT_PLACES = 50

/** What a window remembers from one run to the next. A damaged file is an empty one. */
export interface WindowState {
  readonly current: State
  /** Writes at once. */
  update(change: Partial<State>): void
  /** Remembers where a window is; written with the next `update`. */
  setPlace(databaseId: string, url: string): void
  findPlace(databaseId: string): string | undefined
}

export function openWindowState(folder: string): WindowState {
  const file = join(folder, 'window-state.json')
  let current = read(file)
  return {
    get current() {
      return current
    },
    update(change) {
      if (
        Object.entries(change).every(([name, value]) =>
          isDeepStrictEqual(Reflect.get(current, name), value),
        )
      )
        return
      current = { ...current, ...change }
      try {
        writeFileAtomically(file, `${JSON.stringify(current)}\n`)
      } catch {
        // A window that opens in its default place is no reason to fail.
      }
    },
    setPlace(databaseId, url) {
      const others = current.places.filter((place) => place.databaseId !== databaseId)
      current = { ...current, places: [...others, { databaseId, url }].slice(-KEPT_PLACES) }
    },
    findPlace: (databaseId) => current.places.find((place) => place.databaseId === databaseId)?.url,
  }
}

function read(file: string): State {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return schema.parse({})
  }
}
