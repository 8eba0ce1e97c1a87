import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder, gone after the test. A real path: some systems link their temporary folder. */
export function makeTempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'a2-host-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
