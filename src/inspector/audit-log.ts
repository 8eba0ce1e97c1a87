import { constants } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { AuditEntry, AuditLine, AuditPage } from '../model/audit.ts'
import { parseAuditLine } from './audit-line.ts'

const READ_BYTES = 1024 * 1024
/** No line of ours is as long: the longest has a session id of 1 MiB, every character escaped. */
const MAX_LINE_BYTES = 16 * 1024 * 1024
const NEWLINE = 0x0a

/** The audit log cannot be written: what was asked for must not be done. */
export class AuditUnavailable extends Error {
  override readonly name = 'AuditUnavailable'
}

interface Noted {
  readonly offset: number
  entry: AuditEntry
}

/** The local, append-only record of every write: one JSON text a line, shared by all databases and processes. */
export class AuditLog {
  readonly path: string
  #identity = ''
  #through = 0
  /** The beginning of a line whose end is not there yet; its bytes are given up once they are too many. */
  #rest: { parts: Buffer[]; bytes: number } = { parts: [], bytes: 0 }
  #unreadableLines = 0
  readonly #noted = new Map<string, Noted>()
  #catchingUp: Promise<string | null> | null = null

  constructor(dataFolder: string) {
    this.path = join(dataFolder, 'audit.ndjson')
  }

  /** Adds a line and waits until it is on the disk. Throws AuditUnavailable. */
  async append(line: AuditLine): Promise<void> {
    try {
      await mkdir(dirname(this.path), { recursive: true, mode: 0o700 })
      const file = await open(
        this.path,
        constants.O_RDWR | constants.O_APPEND | constants.O_CREAT,
        0o600,
      )
      try {
        const { size } = await file.stat()
        const last = Buffer.alloc(1)
        if (size > 0) await file.read(last, 0, 1, size - 1)
        // A line cut short by a crash stays by itself: the next one begins on its own line.
        const gap = size > 0 && last[0] !== NEWLINE ? '\n' : ''
        await file.appendFile(`${gap}${JSON.stringify(line)}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
    } catch (error) {
      throw new AuditUnavailable('the audit log cannot be written', { cause: error })
    }
  }

  /** A page of actions, newest first. Lines that cannot be read are counted and left alone. Never rejects: a log that cannot be read says so. */
  async read(wanted: {
    /** null: all of them. */
    readonly database: string | null
    readonly beforeOffset: number | null
    readonly limit: number
  }): Promise<AuditPage> {
    // What two askers would each take from the file would count twice.
    this.#catchingUp ??= this.#catchUp().finally(() => {
      this.#catchingUp = null
    })
    const cannotRead = await this.#catchingUp
    const before = wanted.beforeOffset ?? Number.POSITIVE_INFINITY
    const matching = [...this.#noted.values()].filter(
      ({ offset, entry }) =>
        offset < before && (wanted.database === null || entry.database === wanted.database),
    )
    const page = matching.slice(-wanted.limit)
    return {
      entries: page.map(({ entry }) => entry).toReversed(),
      path: this.path,
      nextBeforeOffset: page.length < matching.length ? (page[0]?.offset ?? null) : null,
      unreadableLines: this.#unreadableLines,
      cannotRead,
    }
  }

  /** Why the log cannot be read, a code of the system; null: it was. */
  async #catchUp(): Promise<string | null> {
    try {
      await this.#readOn()
      return null
    } catch (error) {
      if (error instanceof Error && 'code' in error) return String(error.code)
      throw error
    }
  }

  /** Reads what was added since the last time, by this process or another. */
  async #readOn(): Promise<void> {
    const found = await stat(this.path).catch(() => null)
    const identity = found === null ? '' : `${found.dev}:${found.ino}`
    if (identity !== this.#identity || (found?.size ?? 0) < this.#through) this.#forget(identity)
    if (found === null || found.size === this.#through) return
    const file = await open(this.path, 'r')
    try {
      const chunk = Buffer.alloc(READ_BYTES)
      for (;;) {
        const { bytesRead } = await file.read(chunk, 0, READ_BYTES, this.#through)
        if (bytesRead === 0) return
        this.#take(chunk.subarray(0, bytesRead))
      }
    } finally {
      await file.close()
    }
  }

  #forget(identity: string): void {
    this.#identity = identity
    this.#through = 0
    this.#rest = { parts: [], bytes: 0 }
    this.#unreadableLines = 0
    this.#noted.clear()
  }

  #take(chunk: Buffer): void {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, end))
      const { parts, bytes } = this.#rest
      this.#rest = { parts: [], bytes: 0 }
      const offset = this.#through + end - bytes
      if (bytes > MAX_LINE_BYTES) this.#unreadableLines += 1
      else this.#note(Buffer.concat(parts).toString(), offset)
      from = end + 1
    }
    // The chunk is read into again.
    this.#keep(Buffer.from(chunk.subarray(from)))
    this.#through += chunk.length
  }

  #keep(part: Buffer): void {
    this.#rest.bytes += part.length
    if (this.#rest.bytes > MAX_LINE_BYTES) this.#rest.parts = []
    else this.#rest.parts.push(part)
  }

  #note(text: string, offset: number): void {
    if (text.trim() === '') return
    const line = parseAuditLine(text)
    if (line === null) {
      this.#unreadableLines += 1
      return
    }
    const { phase, ...rest } = line
    const entry = { ...rest, hasOutcome: phase === 'outcome' }
    const known = this.#noted.get(line.id)
    if (known === undefined) this.#noted.set(line.id, { offset, entry })
    else if (entry.hasOutcome) known.entry = entry
  }
}
