import { spawn } from 'node:child_process'

import { Secret } from '../../../model/secret.ts'
import { toPlainText } from './plain-text.ts'

export type CommandAnswer =
  | { readonly outcome: 'found'; readonly secret: Secret }
  | {
      readonly outcome: 'failed'
      /** `ENOENT`, `exit 1`, `SIGKILL`, `timeout`, `empty`, `no-command` */
      readonly code: string
      /** What it wrote to stderr, cleaned. */
      readonly detail: string | null
    }

const MAX_BYTES = 65_536
const PATIENCE_MS = 500

/** Runs a program without a shell; the secret is the first line it prints. Ends it when the time is over. */
export function runSecretCommand(
  argv: readonly string[],
  { timeoutMs = 30_000 }: { timeoutMs?: number } = {},
): Promise<CommandAnswer> {
  const [program, ...args] = argv
  if (program === undefined || program === '')
    return Promise.resolve({ outcome: 'failed', code: 'no-command', detail: null })
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
    let out = Buffer.alloc(0)
    let err = Buffer.alloc(0)
    let isLate = false
    child.stdout.on('data', (chunk: Buffer) => (out = append(out, chunk)))
    child.stderr.on('data', (chunk: Buffer) => (err = append(err, chunk)))
    const timer = setTimeout(() => {
      isLate = true
      child.kill()
      setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS).unref()
      // A grandchild may hold the pipes open for ever.
      child.stdout.destroy()
      child.stderr.destroy()
    }, timeoutMs)
    const finish = (code: string | null): void => {
      clearTimeout(timer)
      const printed = out.toString('utf8')
      const secret = new Secret(printed.split(/\r?\n/, 1)[0] ?? '')
      out.fill(0)
      if (code === null && secret.reveal() !== '') return resolve({ outcome: 'found', secret })
      // Whatever it printed may be the secret, or a part of it.
      const printedLines = printed.split(/\r?\n/).map((line) => new Secret(line.trim()))
      const detail = toPlainText(err.toString('utf8'), printedLines)
      resolve({ outcome: 'failed', code: code ?? 'empty', detail })
    }
    child.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? 'unknown'))
    child.on('close', (status, signal) => {
      if (isLate) finish('timeout')
      else finish(status === 0 ? null : (signal ?? `exit ${status}`))
    })
  })
}

function append(before: Buffer<ArrayBuffer>, chunk: Buffer): Buffer<ArrayBuffer> {
  return Buffer.concat([before, chunk.subarray(0, Math.max(0, MAX_BYTES - before.length))])
}
