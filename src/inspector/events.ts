import type { EventDetail, EventRow, TextPart } from '../model/event.ts'
import { withListNames } from './list-names.ts'
import { found } from './not-found.ts'
import type { EventKey } from './queries/event.ts'
import type { KnownWork } from './queries/lane.ts'
import type { Reader } from './reader.ts'
import type { ScanReader } from './scans/scan-reader.ts'

/** Events of a session, and the long texts stored of it. */
export class Events {
  readonly #reader: Reader
  readonly #scans: ScanReader
  readonly #work: KnownWork

  constructor(reader: Reader, scans: ScanReader, work: KnownWork) {
    this.#reader = reader
    this.#scans = scans
    this.#work = work
  }

  async range(wanted: { sessionId: string; from: number; to: number }): Promise<EventRow[]> {
    return (await this.#reader.range(wanted, this.#work)).map(withListNames)
  }

  async get(key: EventKey): Promise<EventDetail> {
    return found(await this.#reader.findEvent(key, this.#work), 'event')
  }

  async payload(key: EventKey & { offsetBytes: number }): Promise<TextPart> {
    return found(await this.#reader.findPayload(key), 'event')
  }

  async locate(eventId: string, signal?: AbortSignal): Promise<EventKey | null> {
    const { hasEventIdIndex } = await this.#reader.capabilities()
    return (hasEventIdIndex ? this.#reader : this.#scans).locate(eventId, signal)
  }

  async state(key: Parameters<Reader['findState']>[0]): Promise<TextPart> {
    return found(await this.#reader.findState(key), 'snapshot')
  }
}
