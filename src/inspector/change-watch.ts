import { watchFile } from './file-watch.ts'
import type { Reader } from './reader.ts'

export type WatchPace = 'visible' | 'hidden'

export interface Noticed {
  /** `performance.now()` of when it was noticed. */
  readonly at: number
  readonly hasChanged: boolean
  /** Something changed, or may have without being seen. */
  readonly isWorthALook: boolean
}

/** Notices changes as long as it is open. */
export interface ChangeWatch {
  setPace(pace: WatchPace): void
  /** Looks at once: something was just written by us. */
  poke(): void
  close(): void
}

export type OpenWatch = (pace: WatchPace, hear: (noticed: Noticed) => void) => ChangeWatch

/** A folder event comes before its commit can be read: look after this time, which also gathers many into one. */
const SETTLE_MS = { visible: 16, hidden: 250 }
const POLL_MS = { visible: 250, hidden: 1000 }

/** Watches a file by its folder, and asks the file system now and then. */
export function fileWatch(reader: Reader): OpenWatch {
  let known: string | null = null
  /** File times are coarse: a change seen by its time alone is looked at once more. */
  let mayBeLate = false
  return (first, hear) => {
    let pace = first
    let settle: NodeJS.Timeout | null = null
    let noticedAt = 0
    const look = (isCertain: boolean): void => {
      const stamp = reader.stamp()
      const isOther = stamp !== known
      if (!isCertain) noticedAt = performance.now()
      known = stamp
      const isWorthALook = isCertain || isOther || mayBeLate
      mayBeLate = isOther
      hear({ at: noticedAt, hasChanged: isOther || isCertain, isWorthALook })
    }
    const lookSoon = (): void => {
      if (settle !== null) return
      noticedAt = performance.now()
      settle = setTimeout(() => {
        settle = null
        look(true)
      }, SETTLE_MS[pace])
      settle.unref()
    }
    const startPolling = (): NodeJS.Timeout => setInterval(() => look(false), POLL_MS[pace]).unref()
    const watcher = watchFile(reader.path, lookSoon)
    let poll = startPolling()
    return {
      setPace: (wanted) => {
        pace = wanted
        clearInterval(poll)
        poll = startPolling()
      },
      poke: () => {
        noticedAt = performance.now()
        look(true)
      },
      close: () => {
        watcher.close()
        clearInterval(poll)
        if (settle !== null) clearTimeout(settle)
      },
    }
  }
}
