import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

import { useDatabase } from '../../api/database-context.ts'
import { describeError } from '../../api/errors.ts'
import { READ_ONCE } from '../../api/query-client.ts'
import { cutMiddle, toVisible } from '../../lib/format.ts'
import { modKey } from '../../lib/use-hotkeys.ts'
import { readFindSearch } from '../../routes/search.ts'
import { useOpenSession, useSessionsSearch } from '../../routes/use-search.ts'
import { isAnswered, runCommand } from '../../state/commands.ts'
import type { Command } from '../../state/commands.ts'
import type { IconName } from '../../ui/icons.tsx'

export interface PaletteItem {
  /** Plain, because the list is looked up by it: ids may hold anything. */
  readonly key: string
  readonly text: string
  readonly icon: IconName
  readonly isId?: boolean
  readonly hotkey?: string
  readonly run: () => void
}

const COMMANDS: readonly (Omit<PaletteItem, 'run' | 'key'> & { readonly command: Command })[] = [
  { command: 'go-sessions', text: 'Sessions', icon: 'sessions', hotkey: '1' },
  { command: 'go-dead', text: 'Dead letters', icon: 'dead', hotkey: '2' },
  { command: 'go-presence', text: 'Presence', icon: 'presence', hotkey: '3' },
  { command: 'go-audit', text: 'Audit', icon: 'audit', hotkey: '4' },
  { command: 'go-search', text: 'Search', icon: 'search', hotkey: '5' },
  { command: 'toggle-writing', text: 'Unlock or lock writing', icon: 'lock', hotkey: 'W' },
  { command: 'toggle-live', text: 'Pause or resume the live view', icon: 'pause', hotkey: 'P' },
  { command: 'open', text: 'Open another database', icon: 'database', hotkey: modKey('O') },
  { command: 'retry', text: 'Retry this dead letter', icon: 'refresh', hotkey: 'R' },
  { command: 'skip', text: 'Skip this dead letter…', icon: 'effect', hotkey: 'S' },
  { command: 'clear', text: 'Clear this session…', icon: 'close' },
  { command: 'reclaim', text: 'Reclaim what was cleared of this session…', icon: 'database' },
  { command: 'toggle-theme', text: 'Change theme: system, light, dark', icon: 'sliders' },
  { command: 'shortcuts', text: 'Keyboard shortcuts', icon: 'info', hotkey: '?' },
]

const DELAY_MS = 80

/** What fits the typed text: an event of the open session, sessions, an event by its id, views and commands. */
export function usePaletteItems(typed: string) {
  const text = useRested(typed.trim())
  const sessions = useSessions(text, typed.trim())
  const located = useLocated(text)
  const items = [
    { name: 'Event', items: [...useNumbered(typed.trim()), ...located.items] },
    { name: 'Sessions', items: sessions.items },
    { name: 'Views and commands', items: matchingCommands(typed) },
    { name: 'Search', items: useSearches(typed) },
  ]
  return {
    groups: items,
    isSearching: sessions.isPending || located.isPending,
    error: sessions.error,
  }
}

function matchingCommands(typed: string): PaletteItem[] {
  const words = typed.toLowerCase().split(/\s+/)
  return COMMANDS.filter(
    ({ command, text }) =>
      isAnswered(command) && words.every((word) => text.toLowerCase().includes(word)),
  ).map(({ command, ...item }) => ({ ...item, key: command, run: () => runCommand(command) }))
}

/** Spaces count: the text is looked for as it was typed. */
function useSearches(text: string): PaletteItem[] {
  const { databaseId } = useDatabase()
  const { s: sessionId } = useSessionsSearch()
  const navigate = useNavigate()
  if (text.trim() === '') return []
  const shown = cutMiddle(toVisible(text), 60)
  const item = (key: string, where: string, session: string | undefined): PaletteItem => ({
    key,
    text: `Search ${where} for “${shown}”`,
    icon: 'search',
    run: () =>
      void navigate({
        to: '/d/$databaseId/search',
        params: { databaseId },
        search: readFindSearch({ q: text, session }),
      }),
  })
  const all = item('search-all', 'payloads', undefined)
  return sessionId === undefined ? [all] : [all, item('search-session', 'this session', sessionId)]
}

function useNumbered(text: string): PaletteItem[] {
  const { databaseId } = useDatabase()
  const { s: sessionId } = useSessionsSearch()
  const open = useOpenSession(databaseId)
  const index = Number(/^#(\d{1,15})$/.exec(text)?.[1] ?? 0)
  if (sessionId === undefined || index < 1) return []
  const name = cutMiddle(toVisible(sessionId), 60)
  return [
    {
      key: 'numbered',
      text: `#${index} of ${name}`,
      icon: 'effect',
      isId: true,
      run: () => open(sessionId, index),
    },
  ]
}

/** What was found for an earlier text is offered only as far as it fits what is typed by now: Enter takes the first. */
function useSessions(text: string, typed: string) {
  const { databaseId, queries } = useDatabase()
  const open = useOpenSession(databaseId)
  const found = useQuery({
    ...queries.sessions.find.queryOptions({ input: { text: text.slice(0, 4096), limit: 8 } }),
    enabled: text !== '',
    meta: READ_ONCE,
    gcTime: 0,
    placeholderData: keepPreviousData,
  })
  const isBehind = text !== typed || found.isPlaceholderData
  const all = text === '' ? [] : (found.data ?? [])
  const wanted = typed.toLowerCase()
  const ids = isBehind ? all.filter((id) => id.toLowerCase().includes(wanted)) : all
  const items = ids.map((id, place): PaletteItem => ({
    key: `session-${place}`,
    text: cutMiddle(toVisible(id), 120),
    icon: 'sessions',
    isId: true,
    run: () => open(id),
  }))
  return {
    items,
    isPending: text !== '' && found.isPending,
    error: found.error === null ? null : describeError(found.error).title,
  }
}

/** Event ids are looked up whole, so only texts that could be one are. */
function useLocated(text: string) {
  const { databaseId, queries } = useDatabase()
  const open = useOpenSession(databaseId)
  const couldBeId = text.length >= 3 && !text.startsWith('#')
  const found = useQuery({
    ...queries.events.locate.queryOptions({ input: { eventId: text } }),
    enabled: couldBeId,
    meta: READ_ONCE,
    gcTime: 0,
  })
  const place = couldBeId ? (found.data ?? null) : null
  if (place === null) return { items: [], isPending: couldBeId && found.isPending }
  const item: PaletteItem = {
    key: 'located',
    text: `${text} is #${place.index} of ${cutMiddle(toVisible(place.sessionId), 60)}`,
    icon: 'effect',
    isId: true,
    run: () => open(place.sessionId, place.index),
  }
  return { items: [item], isPending: false }
}

function useRested(value: string): string {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), DELAY_MS)
    return () => clearTimeout(timer)
  }, [value])
  return rested
}
