import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export type WriterCommand =
  | {
      readonly do: 'append'
      readonly session: string
      readonly count: number
      readonly perSecond: number
    }
  | { readonly do: 'close' }

export interface WriterAnswer {
  /** How often SQLite answered SQLITE_BUSY. */
  readonly busy: number
  readonly indexes: readonly number[]
  /** Epoch ms, after each commit. */
  readonly committedAt: readonly number[]
  /** After a close: the size of the -wal that was left, 0 for none. */
  readonly walBytes?: number
}

/** Another process with the file open, in WAL mode and without any patience. */
export interface Writer {
  /** Appends events, one commit each. */
  append(session: string, count?: number, perSecond?: number): Promise<WriterAnswer>
  /** Closes the database as an app does that ends well. */
  close(): Promise<WriterAnswer>
  /** Ends it without closing anything. */
  kill(): Promise<void>
}

export function startWriter(path: string): Writer {
  const script = join(import.meta.dirname, 'children', 'writer.ts')
  const child = spawn(process.execPath, [script, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const tell = async (command: WriterCommand): Promise<WriterAnswer> => {
    child.stdin.write(`${JSON.stringify(command)}\n`)
    const { value, done } = await lines.next()
    if (done === true) throw new Error('the writer ended')
    return JSON.parse(value) as WriterAnswer
  }
  return {
    append: (session, count = 1, perSecond = 1_000) =>
      tell({ do: 'append', session, count, perSecond }),
    async close() {
      const answer = await tell({ do: 'close' })
      child.stdin.end()
      await ended
      return answer
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
