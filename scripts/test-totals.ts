import { readFileSync } from 'node:fs'
import { z } from 'zod'

export interface Totals {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** A report that was not written counts as one failure: the run ended before it could. */
const NO_REPORT: Totals = { passed: 0, failed: 1, skipped: 0 }

const vitestReport = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int(),
  /** Of one file each; a file that cannot be loaded has no tests. */
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.unknown()) })),
})

export function readVitest(file: string): Totals {
  const report = read(vitestReport, file)
  if (report === undefined) return NO_REPORT
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

const playwrightReport = z.object({
  stats: z.object({
    expected: z.int(),
    unexpected: z.int(),
    flaky: z.int(),
    skipped: z.int(),
  }),
  /** Not of a test: a file that cannot be loaded, a setup that failed. */
  errors: z.array(z.unknown()),
})

export function readPlaywright(file: string): Totals {
  const report = read(playwrightReport, file)
  if (report === undefined) return NO_REPORT
  const { expected, unexpected, flaky, skipped } = report.stats
  return { passed: expected, failed: unexpected + flaky + report.errors.length, skipped }
}

export function addTotals(all: readonly Totals[]): Totals {
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
    skipped: all.reduce((sum, { skipped }) => sum + skipped, 0),
  }
}

function read<Report>(schema: z.ZodType<Report>, file: string): Report | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}
