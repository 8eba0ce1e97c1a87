import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Area, VirtualScreen } from './virtual-screen.ts'

/** DB Browser's window as it comes up for somebody who never used it, at the top left of the screen. */
const GRID: Area = { x: 4, y: 170, width: 440, height: 550 }
const FIRST_ROWS: Area = { x: 80, y: 205, width: 280, height: 80 }
const LAST_ROWS: Area = { x: 80, y: 590, width: 280, height: 70 }
const FILTER_FIELDS = { everything: [490, 118], payload: [425, 180] } as const

export type FilterField = keyof typeof FILTER_FIELDS

const LOOK_MS = 5
const STILL_MS = 500
const LONGEST_MS = 60_000

/** A running DB Browser that shows the events of a file. */
export interface DbBrowser {
  /** From its start to the last change of the rows and of their count, in ms. */
  readonly shownMs: number
  /**
   * Types a word into a filter; from the return key to the last change of the rows and of their count, in ms.
   * Rejects when what is shown then is not a few rows.
   */
  filter(field: FilterField, word: string): Promise<number>
  close(): Promise<void>
}

/** Starts it read-only. `home`: a folder for its settings. Rejects when no rows are shown. */
export async function startDbBrowser(
  screen: VirtualScreen,
  path: string,
  home: string,
): Promise<DbBrowser> {
  const env = {
    ...process.env,
    DISPLAY: screen.display,
    HOME: home,
    XDG_CONFIG_HOME: home,
    QT_QPA_PLATFORM: 'xcb',
    LC_ALL: 'C.UTF-8',
  }
  const still = lookAt(screen)
  const startedAt = performance.now()
  const words = ['--read-only', '--table', 'a2_events', path]
  const child = spawn('sqlitebrowser', words, { stdio: 'ignore', env })
  const ended = once(child, 'exit')
  const close = async (): Promise<void> => {
    child.kill()
    await ended
  }
  try {
    const shownMs = (await still(child.pid)) - startedAt
    if (isBlank(screen, LAST_ROWS)) throw new Error('DB Browser shows no rows')
    const press = (...keys: string[]): void => void spawnSync('xdotool', keys, { env })
    const filter = (field: FilterField, word: string): Promise<number> =>
      typeInto(FILTER_FIELDS[field], word, { screen, press, pid: child.pid })
    return { shownMs, filter, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function typeInto(
  [x, y]: readonly [number, number],
  word: string,
  { screen, press, pid }: Pressing,
): Promise<number> {
  // Its question whether to abort what it reads: no. Where it does not ask, nothing happens.
  press('key', 'Return')
  press('mousemove', `${x}`, `${y}`, 'click', '1', 'sleep', '0.2')
  const still = lookAt(screen)
  press('type', '--delay', '1', '--args', '1', word, 'key', 'Return')
  const pressedAt = performance.now()
  const tookMs = (await still(pid)) - pressedAt
  if (isBlank(screen, FIRST_ROWS) || !isBlank(screen, LAST_ROWS)) {
    throw new Error('DB Browser did not filter')
  }
  return tookMs
}

interface Pressing {
  readonly screen: VirtualScreen
  /** Runs xdotool. */
  readonly press: (...keys: string[]) => void
  readonly pid: number | undefined
}

function isBlank(screen: VirtualScreen, area: Area): boolean {
  const pixels = screen.pixels(area)
  return pixels.subarray(4).equals(pixels.subarray(0, -4))
}

/**
 * Remembers what is shown now. What it answers waits until that changed, then stood still, and the process did
 * nothing for as long; it resolves with when the last change was seen.
 */
function lookAt(screen: VirtualScreen): (pid: number | undefined) => Promise<number> {
  let picture = screen.pixels(GRID)
  return async (pid) => {
    const beganAt = performance.now()
    let changedAt: number | undefined
    let busyAt = beganAt
    let cpu = cpuTicks(pid)
    for (;;) {
      await sleep(LOOK_MS)
      const now = performance.now()
      const [next, used] = [screen.pixels(GRID), cpuTicks(pid)]
      if (!next.equals(picture)) changedAt = now
      if (used !== cpu) busyAt = now
      ;[picture, cpu] = [next, used]
      if (changedAt !== undefined && now - Math.max(changedAt, busyAt) > STILL_MS) return changedAt
      if (now - beganAt > LONGEST_MS) throw new Error('DB Browser does not come to an end')
    }
  }
}

/** Processor time of all its threads, in hundredths of a second. */
function cpuTicks(pid: number | undefined): number {
  const stat = `/proc/${pid}/stat`
  if (!existsSync(stat)) throw new Error('DB Browser ended')
  const [, words = ''] = readFileSync(stat, 'latin1').split(') ')
  const fields = words.split(' ')
  return Number(fields[11]) + Number(fields[12])
}
