import type { BrowserWindow } from 'electron'

import type { Connections } from '../src/inspector/connections.ts'
import { databaseIdOf, isOurs, screenUrl } from './app-address.ts'
import { loadPage } from './load-page.ts'
import type { StoreHost } from './store-host.ts'
import type { WindowState } from './window-state.ts'
import { openWindow } from './window.ts'

/** Commands the menu sends to the screens. */
export type Command =
  | 'find'
  | 'palette'
  | 'toggle-theme'
  | 'open'
  | 'shortcuts'
  | 'back'
  | 'forward'
  | 'toggle-live'

export interface Windows {
  /** A new window; null: the start screen. */
  create(databaseId: string | null): BrowserWindow
  /** The window that shows it already, else the front one if it shows the start screen, else a new one. Null: any window. */
  show(databaseId: string | null): BrowserWindow
  /** Sends a command to the front window. Without a window there is nothing to command: the start screen opens. */
  send(command: Command): void
}

export function makeWindows(services: {
  readonly preload: string
  readonly state: WindowState
  readonly connections: Connections
  readonly stores: StoreHost
}): Windows {
  const { preload, state, connections, stores } = services
  const prepare = (databaseId: string | null): string => {
    const database = databaseId === null ? undefined : connections.find(databaseId)
    if (databaseId === null || database === undefined) return screenUrl(null)
    stores.warm(database)
    const place = state.findPlace(databaseId)
    return place !== undefined && databaseIdOf(place) === databaseId ? place : screenUrl(databaseId)
  }
  // The one used last is at the end.
  let order: BrowserWindow[] = []
  const toFront = (window: BrowserWindow): void => {
    order = [...order.filter((other) => other !== window), window]
  }
  const create = (databaseId: string | null): BrowserWindow => {
    const window = openWindow({ url: prepare(databaseId), preload, state, others: order.length })
    toFront(window)
    window.on('focus', () => toFront(window))
    window.on('closed', () => {
      order = order.filter((other) => other !== window)
    })
    return window
  }
  return {
    create,
    show(databaseId) {
      const front = order.at(-1)
      const showing = order.findLast((window) => isShowing(window, databaseId))
      const window = showing ?? (databaseId === null ? front : undefined)
      if (window !== undefined) return bringToFront(window)
      if (front === undefined || !isShowing(front, null)) return create(databaseId)
      void loadPage(front, prepare(databaseId))
      return bringToFront(front)
    },
    send(command) {
      const front = order.at(-1)
      if (front === undefined) create(null)
      else front.webContents.send('a2:command', command)
    },
  }
}

function isShowing(window: BrowserWindow, databaseId: string | null): boolean {
  const url = window.webContents.getURL()
  return isOurs(url) && databaseIdOf(url) === databaseId
}

function bringToFront(window: BrowserWindow): BrowserWindow {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
  return window
}
