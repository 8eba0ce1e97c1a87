import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

import { makeTempFolder } from './temp-folder.ts'

export const projectFolder = join(import.meta.dirname, '..', '..')

interface Started {
  readonly child: ChildProcess
  readonly dataFolder: string
  /** Resolves with everything printed so far once it matches; rejects when the program ends before. */
  readonly until: (pattern: RegExp) => Promise<string>
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>
}

interface StartOptions {
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs the program with an environment of its own: no display, no npm, nothing opened. */
export function startCli({ args, cwd = projectFolder, env = {} }: StartOptions): Started {
  const dataFolder = join(makeTempFolder(), 'data')
  const child = spawn(process.execPath, [join(projectFolder, 'src', 'host', 'cli.ts'), ...args], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      A2_SKIP_BUILD: '1',
      A2_NO_OPEN: '1',
      A2_DATA_DIR: dataFolder,
      ...env,
    },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      for (const listener of listeners) listener()
    })
  }
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, output }))
  })
  const until = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (pattern.test(output)) resolve(output)
      }
      listeners.add(look)
      look()
      child.on('close', () => reject(new Error(`It ended, having printed:\n${output}`)))
    })
  return { child, dataFolder, until, ended }
}
