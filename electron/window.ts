import { BrowserWindow, nativeTheme, screen } from 'electron'
import { dirname, join } from 'node:path'

import { databaseIdOf } from './app-address.ts'
import { loadPage, reviveCrashedPage } from './load-page.ts'
import { repairBounds, SMALLEST } from './window-bounds.ts'
import type { Bounds } from './window-bounds.ts'
import type { WindowState } from './window-state.ts'

/** The same as `--bg` of the screens, so that nothing flashes before they are drawn. */
const BACKGROUND = { dark: '#0e1116', light: '#f6f7f9' } as const
/** A further window does not cover the one before it. */
const STEP = 28

interface WindowOptions {
  readonly url: string
  readonly preload: string
  readonly state: WindowState
  /** How many windows are open already. */
  readonly others: number
}

export function openWindow({ url, preload, state, others }: WindowOptions): BrowserWindow {
  const window = new BrowserWindow({
    ...placeFor(state.current.bounds, others),
    minWidth: SMALLEST.width,
    minHeight: SMALLEST.height,
    title: 'A2 Inspector',
    // Where a window shows one: Linux and Windows. It lies with the screens, which browser mode serves.
    icon: join(dirname(preload), '..', 'renderer', 'icon.png'),
    show: false,
    backgroundColor: backgroundColor(),
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
      // What is first called while the screens are drawn is compiled once, and not at each start.
      v8CacheOptions: 'bypassHeatCheckAndEagerCompile',
    },
  })
  window.once('ready-to-show', () => {
    if (window.isDestroyed()) return
    if (state.current.isMaximized && others === 0) window.maximize()
    window.show()
  })
  remember(window, state)
  reviveCrashedPage(window)
  void loadPage(window, url)
  return window
}

export function repaintBackgrounds(): void {
  for (const window of BrowserWindow.getAllWindows()) window.setBackgroundColor(backgroundColor())
}

function remember(window: BrowserWindow, state: WindowState): void {
  window.webContents.on('did-navigate-in-page', (_, url, isMainFrame) => {
    const databaseId = databaseIdOf(url)
    if (isMainFrame && databaseId !== null) state.setPlace(databaseId, url)
  })
  window.on('close', () => {
    state.update({ bounds: window.getNormalBounds(), isMaximized: window.isMaximized() })
  })
}

function placeFor(saved: Bounds | null, others: number): Bounds {
  const main = screen.getPrimaryDisplay()
  const displays = [main, ...screen.getAllDisplays().filter(({ id }) => id !== main.id)]
  const workAreas = displays.map(({ workArea }) => workArea)
  const bounds = repairBounds(saved, workAreas)
  const step = (others % 8) * STEP
  return others === 0
    ? bounds
    : repairBounds({ ...bounds, x: bounds.x + step, y: bounds.y + step }, workAreas)
}

function backgroundColor(): string {
  return nativeTheme.shouldUseDarkColors ? BACKGROUND.dark : BACKGROUND.light
}
