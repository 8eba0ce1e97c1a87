import type { Bench } from './bench-run.ts'
import type { Size } from './generate/spec.ts'
import type { Outcome } from './measure/outcome.ts'

/** One line of the table. */
export interface LineSpec {
  readonly name: string
  /** What it is compared with, in the same run. */
  readonly floor: string
  /** The highest ratio that holds; null: it passes or fails. */
  readonly limit: number | null
}

/** One goal and how it is measured. */
export interface Goal {
  readonly title: string
  /** The files it is measured on. */
  readonly sizes: readonly Size[]
  /** It needs Electron, and so a display. */
  readonly isInWindow?: true
  readonly lines: Readonly<Record<string, LineSpec>>
  measure(bench: Bench): Promise<Readonly<Record<string, Outcome>>>
}

/** Sees to it that every line of the goal is measured, and none that it does not name. */
export function defineGoal<const Line extends string>(goal: {
  readonly title: string
  readonly sizes: readonly Size[]
  readonly isInWindow?: true
  readonly lines: Readonly<Record<Line, LineSpec>>
  measure(bench: Bench): Promise<Readonly<Record<Line, Outcome>>>
}): Goal {
  return goal
}

export const BOTH_SIZES: readonly Size[] = ['1m', '10m']
export const SMALL_ONLY: readonly Size[] = ['1m']
