import type { LineSpec } from '../goal.ts'
import type { Outcome } from './outcome.ts'

/** null: not measured. */
export function holds({ limit }: LineSpec, outcome: Outcome): boolean | null {
  if (outcome.kind === 'not-measured') return null
  if (outcome.kind === 'checked') return outcome.isOk
  return limit === null ? null : outcome.ratio <= limit
}
