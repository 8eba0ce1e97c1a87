import { hasKind } from '../../model/has-kind.ts'
import type { DatabaseTrouble } from '../../model/database.ts'
import type { EventKey } from '../queries/event.ts'
import type { GoneStep, MarkerRequest, StoredMarker } from '../queries/past.ts'
import type { RowPosition } from '../queries/position.ts'
import type { WorkKey } from '../queries/work.ts'
import type { Capabilities } from '../reader.ts'
import type { PackedChanges, PackedRows, PackedSessions, SentCursor } from './packing.ts'
import type { ScanFootprint } from './remote-footprint.ts'
import type { ScanCall } from './scan-reader.ts'

/** How each call is sent, and its answer. */
export interface ScanWire extends Record<ScanCall, { args: readonly unknown[]; value: unknown }> {
  capabilities: { args: []; value: Capabilities }
  tip: { args: []; value: RowPosition }
  sessionPage: {
    args: [after: SentCursor, limit: number]
    value: { readonly sessions: PackedSessions; readonly next: SentCursor }
  }
  listed: { args: [ids: readonly string[]]; value: PackedSessions }
  predecessors: { args: [ids: readonly string[]]; value: readonly (string | null)[] }
  touchedSessions: {
    args: [afterRowid: number, limit: number]
    value: { ids: string[]; throughRowid: number; isMore: boolean }
  }
  unfinishedRange: { args: [range: { above: number; through: number }]; value: PackedRows }
  unfinishedAgain: { args: [known: PackedRows]; value: PackedChanges }
  unfinishedStep: {
    args: [after: WorkKey | null, limit: number]
    value: { readonly rows: PackedRows; readonly next: WorkKey | null }
  }
  clearIndexes: { args: [ids: readonly string[]]; value: Map<string, number> }
  gone: {
    args: [wanted: { sessionId: string; from: number; through: number }]
    value: GoneStep
  }
  markers: {
    args: [wanted: MarkerRequest]
    value: { markers: StoredMarker[]; scannedFrom: number }
  }
  sessionUnfinished: {
    args: [wanted: { sessionId: string; from: number }, limit: number]
    value: { readonly rows: PackedRows; readonly next: number | null }
  }
  locate: { args: [eventId: string]; value: EventKey | null }
}

/** A call on its way out, whatever it is. */
export interface SentCall {
  readonly kind: 'call'
  readonly id: number
  readonly call: ScanCall
  readonly args: readonly unknown[]
}

/** One call. `cancel`: its answer is not wanted any more; it is answered nevertheless. */
export type ScanRequest<Call extends ScanCall = ScanCall> =
  | {
      [C in Call]: {
        readonly kind: 'call'
        readonly id: number
        readonly call: C
        readonly args: ScanWire[C]['args']
      }
    }[Call]
  | { readonly kind: 'cancel'; readonly id: number }
  /** Answered at once, by a `ScanFootprintSaid`. */
  | { readonly kind: 'footprint'; readonly id: 0 }

export type ScanAnswer = {
  readonly id: number
  /** Of the reader that answered: goes up when what it said before may be wrong. */
  readonly epoch: number
  readonly tookMs: number
} & (
  | { readonly kind: 'value'; readonly call: ScanCall; readonly value: unknown }
  | { readonly kind: 'trouble'; readonly trouble: DatabaseTrouble }
  /** Ended because it was cancelled. */
  | { readonly kind: 'cancelled' }
  /** A defect of ours, told where it happened. */
  | { readonly kind: 'defect' }
)

export interface ScanFootprintSaid {
  readonly kind: 'footprint'
  readonly id: 0
  readonly footprint: ScanFootprint
}

export function isFootprintSaid(message: unknown): message is ScanFootprintSaid {
  return isNumbered(message, ['footprint'])
}

export function isScanRequest(message: unknown): message is ScanRequest {
  return isNumbered(message, ['call', 'cancel', 'footprint'])
}

export function isScanAnswer(message: unknown): message is ScanAnswer {
  return isNumbered(message, ['value', 'trouble', 'cancelled', 'defect'])
}

export function isValueOf<Call extends ScanCall>(
  call: Call,
  answer: ScanAnswer,
): answer is ScanAnswer & { readonly value: ScanWire[Call]['value'] } {
  return answer.kind === 'value' && answer.call === call
}

function isNumbered(message: unknown, kinds: readonly string[]): boolean {
  return hasKind(message, kinds) && 'id' in message
}

/** A channel to another process that carries what a structured clone can hold. */
export interface ScanPort {
  send(message: SentCall | ScanRequest | ScanAnswer | ScanFootprintSaid): void
  onMessage(listener: (message: unknown) => void): void
  /** The other side is gone, or this one closed it. */
  onClose(listener: () => void): void
  close(): void
}
