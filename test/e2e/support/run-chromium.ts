import type { Browser } from '@playwright/test'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'

import { collectOutput, SIZES } from './running-app.ts'
import type { OpenOptions, RunningApp } from './running-app.ts'
import { environmentOf, projectFolder } from './workspace.ts'
import type { Workspace } from './workspace.ts'

/** The same modules are read again for every test. */
const compileCache = join(projectFolder, 'node_modules', '.cache', 'node-compile')

/** Browser mode as a person starts it, and a tab that goes to the printed address. */
export async function runChromium(
  browser: Browser,
  workspace: Workspace,
  path: string | null,
  options: OpenOptions,
): Promise<RunningApp> {
  const cli = join(projectFolder, 'src', 'host', 'cli.ts')
  const opened = [...(path === null ? [] : [path]), ...(options.args ?? [])]
  const child = spawn(process.execPath, [cli, '--browser', '--no-open', ...opened], {
    cwd: options.cwd ?? workspace.emptyFolder,
    env: { ...environmentOf(workspace), NODE_COMPILE_CACHE: compileCache },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stderr.pipe(process.stderr, { end: false })
  const output = collectOutput(child)
  const url = await printedAddress(child)
  const context = await browser.newContext({
    viewport: options.size ?? SIZES.usual,
    colorScheme: options.theme ?? 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  await page.goto(url)
  return {
    page,
    electron: undefined,
    process: child,
    output,
    resize: (size) => page.setViewportSize(size),
    async close() {
      await context.close()
      const ended = new Promise((resolve) => child.once('exit', resolve))
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await ended
    },
  }
}

function printedAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const url = /http:\S+(?=\n)/.exec(output)?.[0]
      if (url !== undefined) resolve(url)
    })
    child.once('exit', () => reject(new Error(`Browser mode ended, having printed:\n${output}`)))
  })
}
