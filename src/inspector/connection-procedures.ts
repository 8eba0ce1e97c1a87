import type { ConnectionReport } from '../model/connection-report.ts'
import type { ConnectionSource } from './connection-source.ts'
import type { Reader } from './reader.ts'

/** Less than that between two reports of the clock is not worth a message. */
const CLOCK_STEP_MS = 250
const LOOK_MS = 5_000

/** The way to a server as the API tells it; for a file everything is null. */
export class ConnectionProcedures {
  readonly #source: ConnectionSource | null
  readonly #reader: Reader

  constructor(source: ConnectionSource | null, reader: Reader) {
    this.#source = source
    this.#reader = reader
  }

  report(): ConnectionReport | null {
    return this.#source?.report(Math.round(this.#reader.now() - Date.now())) ?? null
  }

  /** Rejects with StoreTrouble. */
  async reconnect(): Promise<ConnectionReport | null> {
    await this.#source?.reconnect()
    return this.report()
  }

  cancel(): { readonly cancelled: number } {
    return { cancelled: this.#source?.cancelReads() ?? 0 }
  }

  /** Told of each change, and when the clocks have drifted apart. The answer ends it. */
  onChange(listener: (report: ConnectionReport) => void): () => void {
    const source = this.#source
    if (source === null) return () => {}
    let told: number | null = null
    const tell = (): void => {
      const report = this.report()
      if (report === null) return
      told = report.clockDifferenceMs
      listener(report)
    }
    const timer = setInterval(() => {
      const difference = this.report()?.clockDifferenceMs ?? null
      if (difference === null || Math.abs(difference - (told ?? 0)) < CLOCK_STEP_MS) return
      tell()
    }, LOOK_MS).unref()
    const end = source.onChange(tell)
    return () => {
      clearInterval(timer)
      end()
    }
  }
}
