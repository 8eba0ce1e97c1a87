import type {
  SearchCursor,
  SearchHit,
  SearchMessage,
  SearchRequest,
} from '../../../src/model/search.ts'
import type { BackgroundClient } from './open.ts'

export type Wanted = Partial<SearchRequest & { after: SearchCursor | null }>
export type Step = Extract<SearchMessage, { kind: 'step' }>
type End = Extract<SearchMessage, { kind: 'end' }>

export interface Found {
  readonly hits: readonly SearchHit[]
  readonly steps: readonly Step[]
  readonly end: End['reason'] | 'stopped'
  /** Where the last step would go on. */
  readonly next: SearchCursor | null
}

export function toRequest(wanted: Wanted): SearchRequest & { after: SearchCursor | null } {
  return {
    text: '',
    matchCase: false,
    sessionId: null,
    eventType: null,
    scope: 'payload',
    after: null,
    ...wanted,
  }
}

/** A whole search, or one until `isEnough`. */
export async function search(
  client: BackgroundClient,
  wanted: Wanted,
  isEnough: (step: Step) => boolean = () => false,
): Promise<Found> {
  const steps: Step[] = []
  let end: Found['end'] = 'stopped'
  for await (const message of await client.search(toRequest(wanted))) {
    if (message.kind === 'end') end = message.reason
    else steps.push(message)
    if (message.kind === 'step' && isEnough(message)) break
  }
  const hits = steps.flatMap((step) => step.hits)
  return { hits, steps, end, next: steps.at(-1)?.next ?? null }
}

/** `session #index` of each hit, in the order found. */
export function toNames(hits: readonly SearchHit[]): string[] {
  return hits.map(({ sessionId, index }) => `${sessionId} #${index}`)
}

/** What the snippet points at. */
export function toMatches({ snippet }: SearchHit): string[] {
  return snippet.matches.map(([from, to]) => snippet.text.slice(from, to))
}
