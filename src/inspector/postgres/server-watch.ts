import type { OpenWatch } from '../change-watch.ts'
import type { Monitor } from './monitor.ts'

/** Asks the server for changes, as often as the way to it allows. */
export function serverWatch(monitor: Monitor): OpenWatch {
  return (first, hear) => {
    let pace = first
    let isClosed = false
    let isAgain = false
    let isLooking = false
    /** Others look too: what they saw is heard here all the same. */
    let known = monitor.stamp
    let timer: NodeJS.Timeout | undefined
    const look = async (isOurs: boolean): Promise<void> => {
      if (isLooking) {
        isAgain ||= isOurs
        return
      }
      isLooking = true
      clearTimeout(timer)
      const at = performance.now()
      const wasInTrouble = monitor.trouble !== null
      await monitor.look()
      isLooking = false
      if (isClosed) return
      const hasChanged = monitor.stamp !== known || isOurs
      known = monitor.stamp
      const isInTrouble = monitor.trouble !== null
      hear({ at, hasChanged, isWorthALook: hasChanged || isInTrouble || wasInTrouble })
      timer = setTimeout(() => void look(isAgain), isAgain ? 0 : monitor.pollMs(pace)).unref()
      isAgain = false
    }
    void look(false)
    return {
      get pollMs() {
        return monitor.pollMs(pace)
      },
      setPace: (wanted) => {
        pace = wanted
        void look(false)
      },
      poke: () => void look(true),
      close: () => {
        isClosed = true
        clearTimeout(timer)
      },
    }
  }
}
