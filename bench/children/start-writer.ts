import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface WriterOptions {
  readonly path: string
  readonly commitsPerSecond: number
  readonly eventsPerCommit: number
  readonly seconds: number
  /** Events go to these in turn. */
  readonly sessionIds: readonly string[]
  /** When each event was committed is reported too. */
  readonly hasTimes: boolean
}

export interface WriterReport {
  readonly events: number
  readonly seconds: number
  readonly commitP50Ms: number
  readonly commitP99Ms: number
  /** The most the -wal ever held. */
  readonly walBytes: number
  /** `session index` and epoch ms right after its commit. */
  readonly times: readonly (readonly [key: string, at: number])[]
}

export interface Writer {
  /** Begins to write; resolves when it is done and has closed the file. */
  write(): Promise<WriterReport>
}

/** Another process that has the file open, as an app of the person would. */
export async function startWriter(options: WriterOptions): Promise<Writer> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'writer.ts'), JSON.stringify(options)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const ended = new Promise<never>((_, reject) =>
    child.once('exit', (code) => reject(new Error(`the writer ended with ${code}`))),
  )
  ended.catch(() => undefined)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> =>
    (await Promise.race([lines.next(), ended])).value ?? ''
  await nextLine()
  return {
    async write() {
      child.stdin.write('begin\n')
      return JSON.parse(await nextLine())
    },
  }
}
