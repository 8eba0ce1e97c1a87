import type { EventState } from './event.ts'

/** Where a search looks: in payloads alone, or in session ids, types, event ids, lanes and errors too. */
export const SEARCH_SCOPES = ['payload', 'everything'] as const
export type SearchScope = (typeof SEARCH_SCOPES)[number]

export interface SearchRequest {
  /** Looked for as it is, anywhere in a stored text. Empty: every event of the type. */
  readonly text: string
  readonly scope: SearchScope
  /** Otherwise `A` and `a` are the same: in a file for the letters a–z, in Postgres for all. */
  readonly matchCase: boolean
  /** null: in all sessions. */
  readonly sessionId: string | null
  /** Exactly this type, or with a final `*` all that begin so; null: all types. */
  readonly eventType: string | null
}

/** What stands around a match, character for character as it is stored. */
export interface SearchSnippet {
  /** At most 200 UTF-16 units, no character cut in two. */
  readonly text: string
  /** Where the matches are in it: from, to (exclusive), in UTF-16 units, ascending. Empty where the database compares letters in a way of its own. */
  readonly matches: readonly (readonly [number, number])[]
  readonly isCutBefore: boolean
  readonly isCutAfter: boolean
}

/** One event that was found. Names end after 2,000 characters with `…`, but for the session's, which is whole. */
export interface SearchHit {
  readonly sessionId: string
  readonly index: number
  readonly type: string
  readonly lane: string | null
  readonly state: EventState
  readonly createdAt: number | null
  /** What the snippet is of. */
  readonly field: 'payload' | 'error' | 'type' | 'id' | 'lane' | 'session'
  readonly snippet: SearchSnippet
}

/**
 * Where a search stands. `rowid`: rows up to `through` are left; `block`: those before line `line` of block
 * `block`, down to block `floor`; `index`: events of the one session up to `through`; `key`: those behind a key, in key order.
 */
export type SearchPlace =
  | { readonly by: 'rowid'; readonly newest: number; readonly through: number }
  | {
      readonly by: 'block'
      readonly blocks: number
      readonly block: number
      readonly line: number
      readonly floor: number
    }
  | {
      readonly by: 'index'
      readonly first: number
      readonly head: number
      readonly through: number
    }
  | {
      readonly by: 'key'
      /** `session` as the database's own reader wrote it. */
      readonly after: { readonly session: string; readonly index: number } | null
      readonly looked: number
    }

/** To go on where a search stopped. */
export interface SearchCursor {
  readonly place: SearchPlace
  /** The file it was made in; null where that cannot be told. */
  readonly file: string | null
}

/** How far a search is. */
export interface SearchProgress {
  /** 0…1 of all rows that are to be looked at; null where their number is not known. */
  readonly share: number | null
  /** Rows looked at; null where only the share is known. */
  readonly looked: number | null
}

/**
 * What a running search tells; `end` comes last. Each `step` holds what was found since the one before, newest first
 * unless `isKeyOrder`, and where to go on if it is the last one heard. `limit`: more may follow after `next`;
 * `replaced`: another file stands there now, or its rows were numbered anew, and nothing further can be said.
 */
export type SearchMessage =
  | {
      readonly kind: 'step'
      readonly hits: readonly SearchHit[]
      readonly progress: SearchProgress
      readonly isKeyOrder: boolean
      /** null: nothing is left to look at. */
      readonly next: SearchCursor | null
    }
  | { readonly kind: 'end'; readonly reason: 'complete' | 'limit' | 'replaced' }

/** How far a search that stands at `place` is. */
export function progressOf(place: SearchPlace): SearchProgress {
  if (place.by === 'key') return { share: null, looked: place.looked }
  if (place.by === 'rowid')
    return { share: shareOf(place.newest - place.through, place.newest), looked: null }
  if (place.by === 'block' && place.floor > 0) return { share: 1, looked: null }
  if (place.by === 'block') {
    return { share: shareOf(place.blocks - place.block, place.blocks), looked: null }
  }
  const { first, head, through } = place
  return { share: shareOf(head - through, head - first + 1), looked: null }
}

function shareOf(looked: number, all: number): number {
  return Math.min(1, Math.max(0, looked / Math.max(1, all)))
}
