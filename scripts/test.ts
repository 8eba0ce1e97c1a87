import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

import { findBrowser } from '../test/e2e/support/find-browser.ts'
import { build } from './build.ts'
import { prepareBrowser, prepareElectron } from './test-means.ts'
import { addTotals, readPlaywright, readVitest } from './test-totals.ts'
import type { Totals } from './test-totals.ts'

const root = join(import.meta.dirname, '..')
const bin = (...path: readonly string[]) => join(root, 'node_modules', ...path)
const results = join(root, 'test-results')

interface Part {
  readonly totals: Totals
  readonly isOk: boolean
}

/** Runs a tool of ours on the Node that runs this. */
function run(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  wrapper: readonly string[] = [],
) {
  const [command = process.execPath, ...words] = [...wrapper, process.execPath, script, ...args]
  return spawnSync(command, words, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
}

function runUnitTests(): Part {
  const file = join(results, 'unit.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const { status } = run(bin('vitest', 'vitest.mjs'), ['run', ...reporters], {})
  const totals = readVitest(file)
  return { totals, isOk: status === 0 && totals.passed > 0 }
}

function runJourneys(project: string, wrapper: readonly string[]): Part {
  const file = join(results, `${project}.json`)
  const args = [
    'test',
    `--project=${project}`,
    '--reporter=list,json',
    `--output=${join(results, project)}`,
  ]
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: file, PLAYWRIGHT_HTML_OPEN: 'never' }
  const { status } = run(bin('@playwright', 'test', 'cli.js'), args, env, wrapper)
  const totals = readPlaywright(file)
  return { totals, isOk: status === 0 && totals.passed > 0 }
}

/** `npm test`. Returns the exit code. */
async function main(): Promise<number> {
  await build(['renderer', 'electron', 'sample', 'store'], {
    onStart: () => console.log('Building…'),
  })
  const parts = [runUnitTests()]
  const skipped: string[] = []
  const electron = await prepareElectron()
  if ('reason' in electron) skipped.push(`Electron: ${electron.reason}`)
  else parts.push(runJourneys('electron', electron.wrapper))
  const browserTrouble = prepareBrowser(findBrowser)
  if (browserTrouble === undefined) parts.push(runJourneys('chromium', []))
  else skipped.push(`Browser: ${browserTrouble}`)

  const { passed, failed, skipped: left } = addTotals(parts.map(({ totals }) => totals))
  for (const line of skipped) console.log(`SKIPPED ${line}`)
  if (left > 0) console.log(`SKIPPED ${left} single tests, see above`)
  console.log(`${passed} passed, ${failed} failed`)
  return parts.every(({ isOk }) => isOk) && failed === 0 ? 0 : 1
}

process.exitCode = await main()
