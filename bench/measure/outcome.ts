/** Lowest, middle and highest of the rounds, or of the one figure there is. */
export interface Spread {
  readonly min: number
  readonly median: number
  readonly max: number
}

/** What one line of the table found. */
export type Outcome =
  | {
      readonly kind: 'compared'
      readonly unit: Unit
      readonly floor: Spread
      readonly value: Spread
      /** Of value to floor in the same round; the median of all rounds. */
      readonly ratio: number
    }
  | { readonly kind: 'checked'; readonly isOk: boolean; readonly detail: string }
  | { readonly kind: 'not-measured'; readonly why: string }

export type Unit = 'ms' | 'MB'

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  return {
    min: sorted[0] ?? Number.NaN,
    median: medianOf(values),
    max: sorted.at(-1) ?? Number.NaN,
  }
}

export function medianOf(values: readonly number[]): number {
  return quantileOf(values, 0.5)
}

/** The value below which that share of all lies; NaN of none. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/** Compares what was measured in turns: the same place in both lists is the same round. */
export function compare(
  value: readonly number[],
  floor: readonly number[],
  unit: Unit = 'ms',
): Outcome {
  if (value.length !== floor.length) throw new Error('each round has a floor and a value')
  const ratios = value.map((figure, round) => figure / (floor[round] ?? Number.NaN))
  const [of, to] = [spreadOf(value), spreadOf(floor)]
  return { kind: 'compared', unit, floor: to, value: of, ratio: medianOf(ratios) }
}

/** Compares with a figure that is fixed by design. */
export function compareFixed(value: readonly number[], floor: number, unit: Unit = 'ms'): Outcome {
  return compare(
    value,
    value.map(() => floor),
    unit,
  )
}

export function check(isOk: boolean, detail: string): Outcome {
  return { kind: 'checked', isOk, detail }
}

export function notMeasured(why: string): Outcome {
  return { kind: 'not-measured', why }
}
