import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Another process that works on a file; ended after the test. */
export function startChild(
  name: 'append' | 'hold-lock' | 'hold-open' | 'facts-as-nobody',
  args: readonly string[],
): ChildProcessWithoutNullStreams {
  const script = join(import.meta.dirname, '../children', `${name}.ts`)
  const child = spawn(process.execPath, [script, ...args])
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

/** Everything it printed, once it ended well. */
export async function outputOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  let output = ''
  let errors = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`the child ended with ${code}: ${errors}`)
  return output
}
