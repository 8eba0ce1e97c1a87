import { useSyncExternalStore } from 'react'
import { z } from 'zod'

import { THEMES } from '../../src/contract/host-contract.ts'
import type { Theme } from '../../src/contract/host-contract.ts'

export const ZONES = ['local', 'utc'] as const
export type Zone = (typeof ZONES)[number]

export interface Preferences {
  readonly theme: Theme
  /** The zone in which every time is shown. */
  readonly zone: Zone
}

const KEY = 'a2:preferences'
const schema = z.object({
  theme: z.enum(THEMES).catch('system'),
  zone: z.enum(ZONES).catch('local'),
})
const listeners = new Set<() => void>()
let current: Preferences = read()

function read(): Preferences {
  try {
    return schema.parse(JSON.parse(localStorage.getItem(KEY) ?? '{}'))
  } catch {
    return { theme: 'system', zone: 'local' }
  }
}

function publish(next: Preferences): void {
  current = next
  applyTheme()
  for (const listener of listeners) listener()
}

/** Stores a change for this person and machine; other windows follow. */
export function setPreferences(change: Partial<Preferences>): void {
  publish({ ...current, ...change })
  try {
    localStorage.setItem(KEY, JSON.stringify(current))
  } catch {
    // Storage can be full or forbidden; the choice then holds for this window only.
  }
}

function getPreferences(): Preferences {
  return current
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, getPreferences)
}

const prefersLight = matchMedia('(prefers-color-scheme: light)')

function applyTheme(): void {
  const { theme } = current
  const isLight = theme === 'light' || (theme === 'system' && prefersLight.matches)
  document.documentElement.dataset['theme'] = isLight ? 'light' : 'dark'
}

/** Applies the theme now and whenever the system or another window changes it. */
export function watchPreferences(): void {
  applyTheme()
  prefersLight.addEventListener('change', applyTheme)
  addEventListener('storage', (event) => {
    if (event.key === KEY) publish(read())
  })
}

/** The next theme in the order system, light, dark. */
export function nextTheme(): Theme {
  const position = THEMES.indexOf(current.theme)
  return THEMES[(position + 1) % THEMES.length] ?? 'system'
}
