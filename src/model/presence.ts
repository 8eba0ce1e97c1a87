import type { RawColumn } from './event.ts'

/** One participant of a namespace. Only `namespace` and `participant` are certain to exist. */
export interface PresenceRow {
  readonly namespace: string
  readonly participant: string
  /** JSON text. */
  readonly data: string | null
  readonly joinedAt: number | null
  readonly updatedAt: number | null
  readonly expiresAt: number | null
  /** Judged by the database's clock; null when unknown. */
  readonly isExpired: boolean | null
  readonly unknownColumns: readonly RawColumn[]
}

export interface PresenceList {
  readonly isSupported: boolean
  readonly rows: readonly PresenceRow[]
  /** True when more than the first 1,000 rows exist. */
  readonly isCut: boolean
  readonly readAt: number
}
