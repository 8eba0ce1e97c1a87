import { parseArgs } from 'node:util'

import { SIZES, type Size } from './generate/spec.ts'

export interface Options {
  readonly size: Size
  /** Numbers of goals; null: all of the size. */
  readonly only: readonly number[] | null
  readonly isJson: boolean
  /** The table is written to docs/benchmarks.md too. */
  readonly isWritten: boolean
  /** How long memory is watched instead of the goals being measured; null: not at all. */
  readonly memoryMinutes: number | null
}

/** Throws an Error that says what is wrong. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      size: { type: 'string' },
      only: { type: 'string' },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      memory: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '10' },
    },
  })
  return {
    size: toSize(values.size ?? (values.memory ? '10m' : '1m')),
    only: values.only === undefined ? null : values.only.split(',').map(toGoalNumber),
    isJson: values.json,
    isWritten: values.write,
    memoryMinutes: values.memory ? toMinutes(values.minutes) : null,
  }
}

function toSize(text: string): Size {
  const found = SIZES.find((size) => size === text)
  if (found !== undefined) return found
  throw new Error(`--size ${text}: one of ${SIZES.join(', ')}`)
}

function toGoalNumber(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1) return number
  throw new Error(`--only ${text}: numbers of goals, for example 5,7`)
}

function toMinutes(text: string): number {
  const minutes = Number(text)
  if (minutes > 0 && Number.isFinite(minutes)) return minutes
  throw new Error(`--minutes ${text}: a number above 0`)
}
