import type { ConnectionReport } from './connection-report.ts'
import type { DatabaseTrouble } from './database.ts'

/** An event that was just appended by anyone; a type of more than 2,000 characters is cut and ends with `…`. */
export interface NewEvent {
  readonly sessionId: string
  readonly index: number
  readonly type: string
}

/** What a watcher hears. The first message is always `hello`. */
export type LiveMessage =
  | { readonly kind: 'hello'; readonly isWritingUnlocked: boolean; readonly at: number }
  /** New events in commit order, at most 2,000 a message; more follow at once. */
  | {
      readonly kind: 'events'
      readonly events: readonly NewEvent[]
      readonly at: number
      /** Milliseconds from noticing the change to this message. */
      readonly latencyMs: number
    }
  /** Something was committed: what is on screen should be read again. */
  | { readonly kind: 'changed'; readonly at: number }
  /** The background list or count moved on. */
  | {
      readonly kind: 'counts'
      readonly deadLetters: number
      readonly sessions: number
      readonly isListComplete: boolean
      readonly isWorkComplete: boolean
      readonly countedAt: number | null
      /** 0…1 of the counting pass. */
      readonly progress: number
    }
  /** The file was replaced, restored or came back: everything is read anew. */
  | {
      readonly kind: 'reopened'
      readonly reason: 'replaced' | 'restored' | 'returned'
      readonly at: number
    }
  /** The file cannot be read now; the screen keeps what it shows. */
  | { readonly kind: 'trouble'; readonly trouble: DatabaseTrouble; readonly at: number }
  | { readonly kind: 'writing'; readonly isUnlocked: boolean }
  /** Servers only: right after `hello`, and whenever something of it changed. */
  | { readonly kind: 'connection'; readonly report: ConnectionReport }
  /** Sent at least every 15 s, so that a dead line is noticed. */
  | { readonly kind: 'pulse'; readonly at: number }
