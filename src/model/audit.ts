import type { ActionName } from './action.ts'

/** One line of the local audit log. */
export interface AuditLine {
  /** Same id on the `intent` line written before the transaction and the `outcome` line after it. */
  readonly id: string
  readonly phase: 'intent' | 'outcome'
  /** ISO 8601, UTC. */
  readonly at: string
  /** Absolute path, or a URL without secrets. */
  readonly database: string
  readonly action: ActionName
  readonly sessionId: string
  /** The event's index, for redrives. */
  readonly index: number | null
  /** What the person had seen, for example `ifLastIndex`. */
  readonly guard: Readonly<Record<string, string | number | boolean | null>>
  /** `done`, `already-done`, `refused`, `stopped`, `failed`, `unknown`; null on intent lines. */
  readonly outcome: string | null
  /** One sentence: what happened. */
  readonly detail: string | null
}

/** An action as the screen shows it: its outcome line, or its intent when no outcome was written. */
export interface AuditEntry extends Omit<AuditLine, 'phase'> {
  /** False when only the intent is on record: the outcome is unknown. */
  readonly hasOutcome: boolean
}

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditEntry[]
  /** Where the log is kept. */
  readonly path: string
  /** Pass as `beforeOffset` for the next page; null at the beginning of the log. */
  readonly nextBeforeOffset: number | null
  /** Lines that could not be read; they are left as they are. */
  readonly unreadableLines: number
  /** Why the log cannot be read, a code of the system such as `EACCES`; null when it can. What was read before is still given. */
  readonly cannotRead: string | null
}
