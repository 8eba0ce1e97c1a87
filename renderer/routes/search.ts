import { z } from 'zod'

import { SEARCH_SCOPES } from '../../src/model/search.ts'
import { SESSION_CHIPS, SESSION_SORTS } from '../../src/model/session.ts'
import type { SessionChip } from '../../src/model/session.ts'

/** The URL is the state. Every field repairs itself to its default; no address is an error. */

const LARGEST_INDEX = Number.MAX_SAFE_INTEGER
const text = z.string().max(4096).catch('')
const sessionId = z.string().optional().catch(undefined)
const eventIndex = z.coerce.number().int().min(1).max(LARGEST_INDEX).optional().catch(undefined)
const chips = z
  .string()
  .catch('')
  .transform((list): SessionChip[] => {
    const named = new Set(list.split(','))
    return SESSION_CHIPS.filter((chip) => named.has(chip))
  })

export const SESSION_TABS = ['timeline', 'snapshots'] as const
export type SessionTab = (typeof SESSION_TABS)[number]

const sessionsSchema = z.object({
  /** The open session; present and empty means the session whose id is empty. */
  s: sessionId,
  tab: z.enum(SESSION_TABS).catch('timeline'),
  /** The event whose details are open. */
  event: eventIndex,
  sort: z.enum(SESSION_SORTS).catch('activity'),
  dir: z.enum(['asc', 'desc']).catch('desc'),
  q: text,
  chips,
})
export type SessionsSearch = z.output<typeof sessionsSchema>

const deadSchema = z.object({ s: sessionId, event: eventIndex, q: text })
export type DeadSearch = z.output<typeof deadSchema>

/** `session` and `type` narrow the search down; `s` and `event` name the hit whose details are open. */
const findSchema = z.object({
  q: text,
  in: z.enum(SEARCH_SCOPES).catch('payload'),
  case: z.enum(['any', 'match']).catch('any'),
  session: sessionId,
  type: text,
  s: sessionId,
  event: eventIndex,
})
export type FindSearch = z.output<typeof findSchema>

const auditSchema = z.object({ scope: z.enum(['database', 'all']).catch('database') })
export type AuditSearch = z.output<typeof auditSchema>

/** `edit`: the connection whose settings are open in the form. */
const startSchema = z.object({ edit: z.string().optional().catch(undefined) })
export type StartSearch = z.output<typeof startSchema>

type RawSearch = Record<string, unknown>

export function readStartSearch(raw: RawSearch): StartSearch {
  return startSchema.parse(raw)
}

export function readSessionsSearch(raw: RawSearch): SessionsSearch {
  return sessionsSchema.parse(withTextChips(raw))
}

export function readDeadSearch(raw: RawSearch): DeadSearch {
  return deadSchema.parse(raw)
}

export function readFindSearch(raw: RawSearch): FindSearch {
  return findSchema.parse(raw)
}

export function readAuditSearch(raw: RawSearch): AuditSearch {
  return auditSchema.parse(raw)
}

/** Links give chips as a list, addresses as a text; both come through here. */
function withTextChips(raw: RawSearch): RawSearch {
  return Array.isArray(raw['chips']) ? { ...raw, chips: raw['chips'].join(',') } : raw
}

const DEFAULTS: RawSearch = {
  tab: 'timeline',
  sort: 'activity',
  dir: 'desc',
  q: '',
  chips: '',
  scope: 'database',
  in: 'payload',
  case: 'any',
  type: '',
}

/** `?a=b&c=d` as plain texts: nothing is guessed to be a number or JSON. The first of two equal names counts. */
export function parseSearch(search: string): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(search)) {
    if (!Object.hasOwn(values, name)) values[name] = value
  }
  return values
}

/** The reverse; defaults are left out, an empty session id is not. */
export function stringifySearch(values: Record<string, unknown>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    const written = toText(value)
    if (written !== null && written !== DEFAULTS[name]) search.set(name, written)
  }
  return search.size === 0 ? '' : `?${search.toString()}`
}

function toText(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  return Array.isArray(value) ? value.join(',') : null
}
