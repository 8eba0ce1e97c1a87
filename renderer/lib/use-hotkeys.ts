import { useEffect, useRef } from 'react'

import { isHeldStill } from '../state/holds.ts'

/** A key name as in `KeyboardEvent.key`, with `mod+` for Ctrl (⌘ on a Mac) and `shift+` or `alt+` where needed. */
export type Hotkeys = Readonly<Record<string, (event: KeyboardEvent) => void>>

const isMac = /mac/i.test(navigator.userAgent)

/** `⌘K` or `Ctrl-K`. */
export function modKey(key: string): string {
  return isMac ? `⌘${key}` : `Ctrl-${key}`
}

function nameOf(event: KeyboardEvent): string {
  const isMod = isMac ? event.metaKey : event.ctrlKey
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  return `${isMod ? 'mod+' : ''}${event.altKey ? 'alt+' : ''}${needsShift(event) ? 'shift+' : ''}${key}`
}

/** `?` is typed with shift on some keyboards and without on others: the character alone counts. */
function needsShift(event: KeyboardEvent): boolean {
  return event.shiftKey && (event.key.length > 1 || /\p{L}/u.test(event.key))
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.matches('input, textarea, select')
}

/**
 * Keys for as long as the component is mounted. Without `mod+` they rest while the person types in a
 * field (Escape excepted), and all but those in `evenInDialogs` rest while a dialog is open. The latest
 * mounted component is asked first, and a handled key is not passed on.
 */
export function useHotkeys(
  hotkeys: Hotkeys,
  options: { readonly evenInDialogs?: boolean } = {},
): void {
  const latest = useRef(hotkeys)
  useEffect(() => {
    latest.current = hotkeys
  })
  const evenInDialogs = options.evenInDialogs === true
  useEffect(() => {
    const entry = { keys: latest, evenInDialogs }
    stack.unshift(entry)
    if (stack.length === 1) addEventListener('keydown', onKeyDown)
    return () => {
      stack.splice(stack.indexOf(entry), 1)
      if (stack.length === 0) removeEventListener('keydown', onKeyDown)
    }
  }, [evenInDialogs])
}

const stack: { readonly keys: { readonly current: Hotkeys }; readonly evenInDialogs: boolean }[] =
  []

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return
  const name = nameOf(event)
  if (!name.startsWith('mod+') && event.key !== 'Escape' && isTyping(event.target)) return
  if (event.key.length === 1 && (event.ctrlKey || event.metaKey) && !name.startsWith('mod+')) return
  for (const entry of stack) {
    const run = Object.hasOwn(entry.keys.current, name) ? entry.keys.current[name] : undefined
    if (run === undefined || (isHeldStill() && !entry.evenInDialogs)) continue
    event.preventDefault()
    run(event)
    return
  }
}
