/** Where a search looks: in payloads alone, or in ids, types, lanes and errors too. */
export const SEARCH_SCOPES = ['payload', 'everything'] as const
export type SearchScope = (typeof SEARCH_SCOPES)[number]

/** One event that was found. */
export interface SearchHit {
  readonly sessionId: string
  readonly index: number
}

/** What a running search tells; `done` comes last. */
export type SearchMessage =
  | { readonly kind: 'hits'; readonly hits: readonly SearchHit[] }
  /** `part`: 0…1 of what there is to look through. */
  | { readonly kind: 'progress'; readonly part: number }
  | { readonly kind: 'done' }
