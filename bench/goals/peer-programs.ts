import { spawnSync } from 'node:child_process'

import { notMeasured, type Outcome } from '../measure/outcome.ts'

/** How the programs are called where people get them. */
const NAMES: Readonly<Record<string, string>> = { sqlitebrowser: 'DB Browser' }

/** Says which of the programs is not on the PATH; undefined: all are. */
export function missing(...programs: readonly string[]): Outcome | undefined {
  const absent = programs.find((program) => !isInstalled(program))
  return absent === undefined
    ? undefined
    : notMeasured(`${NAMES[absent] ?? absent} is not installed`)
}

function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$0"', program], { stdio: 'ignore' }).status === 0
}

/** The same outcome for several lines. */
export function inPlaceOf<Line extends string>(
  lines: readonly Line[],
  outcome: Outcome,
): Record<Line, Outcome> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one entry for each line
  return Object.fromEntries(lines.map((line) => [line, outcome])) as Record<Line, Outcome>
}

export function toReason(error: unknown): Outcome {
  return notMeasured(error instanceof Error ? error.message : String(error))
}
