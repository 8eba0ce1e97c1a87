import type { Goal } from '../goal.ts'
import type { Size } from '../generate/spec.ts'
import { holds } from '../measure/judge.ts'
import type { Outcome, Spread } from '../measure/outcome.ts'

/** One line of the table, ready to be printed. */
export interface ReportLine {
  readonly goal: number
  readonly size: Size
  readonly name: string
  readonly floorName: string
  readonly limit: number | null
  readonly outcome: Outcome
  /** null: not measured. */
  readonly holds: boolean | null
}

export function toReportLines(
  number: number,
  goal: Goal,
  size: Size,
  outcomes: Readonly<Record<string, Outcome>>,
): ReportLine[] {
  return Object.entries(goal.lines).map(([key, spec]) => {
    const outcome = outcomes[key] ?? { kind: 'not-measured', why: 'no figure came of it' }
    return {
      goal: number,
      size,
      name: spec.name,
      floorName: spec.floor,
      limit: spec.limit,
      outcome,
      holds: holds(spec, outcome),
    }
  })
}

/** The cells of a line: number, name, value, floor, floor's name, ratio, goal, verdict. */
export function toCells(line: ReportLine): string[] {
  const { outcome } = line
  const ends = [line.limit === null ? '' : `≤ ${line.limit}`, verdictOf(line)]
  const begin = [`${line.goal}`, line.name]
  if (outcome.kind === 'not-measured') {
    return [...begin, `not measured: ${outcome.why}`, '', line.floorName, '', ...ends]
  }
  if (outcome.kind === 'checked') return [...begin, outcome.detail, '', line.floorName, '', ...ends]
  return [
    ...begin,
    `${printSpread(outcome.value)} ${outcome.unit}`,
    `${printSpread(outcome.floor)} ${outcome.unit}`,
    line.floorName,
    printFigure(outcome.ratio),
    ...ends,
  ]
}

export const HEADINGS = ['#', 'what', 'value', 'floor', 'floor is', 'ratio', 'goal', ''] as const

function verdictOf({ holds: isHeld }: ReportLine): string {
  if (isHeld === null) return '–'
  return isHeld ? 'holds' : 'MISSED'
}

function printSpread({ min, median, max }: Spread): string {
  const figures = [min, median, max].map(printFigure)
  return new Set(figures).size === 1 ? (figures[0] ?? '') : figures.join(' / ')
}

/** Three digits that count. */
export function printFigure(figure: number): string {
  if (!Number.isFinite(figure)) return '?'
  if (figure >= 100) return Math.round(figure).toString()
  if (figure >= 10) return figure.toFixed(1)
  return figure >= 1 ? figure.toFixed(2) : figure.toFixed(3)
}
