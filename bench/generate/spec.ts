/** What a generated database holds. The same spec makes the same rows on every machine. */
export interface Spec {
  readonly events: number
  readonly sessions: number
  /** How many events the biggest session has; the others share the rest by Zipf's law. */
  readonly biggest: number
}

export const SPECS = {
  '1m': { events: 1_000_000, sessions: 10_000, biggest: 107_151 },
  '10m': { events: 10_000_000, sessions: 100_000, biggest: 1_000_000 },
} as const satisfies Record<string, Spec>

export type Size = keyof typeof SPECS
export const SIZES = ['1m', '10m'] as const satisfies readonly Size[]

export const SHARES = { pending: 0.02, dead: 0.005, clearedSessions: 0.1 } as const
export const LONGEST_PAYLOAD_BYTES = 200_000

/** In the payload of every so many events, newest first after some rows, and nowhere else. */
export const NEEDLE = 'qualmish-heron'
const NEEDLE_EVERY = 83_333
const NEEDLE_DEPTH = 5_000

export function hasNeedle(spec: Spec, position: number): boolean {
  const fromEnd = spec.events - 1 - position
  const depth = Math.min(NEEDLE_DEPTH, Math.floor(spec.events / 4))
  return fromEnd >= depth && (fromEnd - depth) % NEEDLE_EVERY === 0
}
