import Database from 'better-sqlite3'

import { sqlite } from '../../src/store/sqlite/store.ts'

/** Session ids that break careless programs. */
export const UGLY_IDS = {
  empty: '',
  nul: 'a\u0000b',
  beforeNul: 'a',
  long: `long:${'x'.repeat(3994)}!`,
  emoji: 'chat:🙏👩‍👩‍👧‍👦🇵🇹',
  rtl: 'צ׳אט:שלום עולם',
  markup: '<img src=x onerror=alert(1)>',
  dots: '..',
  dot: '.',
  query: 'a?b=c&d#e%20f/g\\h',
  controls: 'line\nbreak\ttab\u202Eoverride',
} as const

/** Payloads that break careless programs, one event each in session `payloads`. */
export const UGLY_PAYLOADS: readonly string[] = [
  '{"big":1005254182451511297,"huge":1e400,"minusZero":-0,"precise":0.1000000000000000055511151231257827}',
  '{"twice":1,"twice":2,"z":0,"a":1}',
  `{"deep":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
  `{"five":"${'m'.repeat(5 * 1024 * 1024)}"}`,
  '{"markup":"<script>alert(1)</script><b>bold</b>","rtl":"\u202Eשלום","emoji":"👩‍👩‍👧‍👦"}',
  '{not json at all',
  '"\\ud800 lone surrogate, \\u0000 nul"',
  'null',
  '""',
  JSON.stringify({ rows: Array.from({ length: 5000 }, (_, n) => ({ n, sku: `SKU-${n}` })) }),
]

export interface UglyOptions {
  /** Ordinary sessions beside the ugly ones. */
  readonly sessions: number
  /** Events of the longest session. */
  readonly longest: number
  /** Epoch ms of the newest event. */
  readonly now: number
}

/** Writes a database with ugly ids and payloads, many ordinary sessions and one long one. The file must not exist. */
export async function makeUglyDatabase(path: string, options: UglyOptions): Promise<void> {
  await sqlite({ path }).close()
  const database = new Database(path)
  const insert = database.prepare(
    `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at, lane, lane_ready,
       processed_at, attempt_count, failure_count, failed_at, last_error)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  let ids = 0
  const add = (session: string, idx: number, row: Partial<UglyRow> = {}): void => {
    const event = { ...SETTLED, createdAt: options.now - 1000 * (options.longest - idx), ...row }
    const processedAt = event.isProcessed ? event.createdAt + 840 : null
    insert.run(
      session,
      idx,
      event.type,
      event.payload,
      `evt_${(ids += 1)}`,
      event.createdAt,
      event.lane,
      event.isReady ? 1 : 0,
      processedAt,
      event.attempts,
      event.failures,
      event.isDead ? event.createdAt + 900 : null,
      event.error,
    )
  }
  database.transaction(() => {
    for (const id of Object.values(UGLY_IDS)) add(id, 1, { type: 'ugly.id' })
    UGLY_PAYLOADS.forEach((payload, n) => add('payloads', n + 1, { type: 'ugly.payload', payload }))
    addOrdinarySessions(add, options)
    for (let idx = 1; idx <= options.longest; idx += 1) {
      add('import:longest', idx, { type: 'catalog.row', payload: `{"row":${idx}}` })
    }
  })()
  database.close()
}

interface UglyRow {
  readonly type: string
  readonly payload: string
  readonly createdAt: number
  readonly lane: string | null
  readonly isReady: boolean
  readonly isProcessed: boolean
  readonly attempts: number
  readonly failures: number
  readonly isDead: boolean
  readonly error: string | null
}

const SETTLED: Omit<UglyRow, 'createdAt'> = {
  type: 'note',
  payload: '{"text":"hello"}',
  lane: null,
  isReady: true,
  isProcessed: true,
  attempts: 0,
  failures: 0,
  isDead: false,
  error: null,
}

/** Every 50th session has a dead letter with two events waiting behind it, every 7th one is retrying. */
function addOrdinarySessions(
  add: (session: string, idx: number, row?: Partial<UglyRow>) => void,
  options: UglyOptions,
): void {
  for (let n = 0; n < options.sessions; n += 1) {
    const session = `order:2026-11-${String((n % 30) + 1).padStart(2, '0')}-${String(n).padStart(5, '0')}`
    const createdAt = options.now - n * 61_000
    add(session, 1, { type: 'order.placed', createdAt, attempts: 1, lane: 'turn', isReady: false })
    if (n % 50 === 0) {
      add(session, 2, {
        type: 'payment.capture',
        createdAt,
        lane: 'turn',
        isProcessed: false,
        attempts: 5,
        failures: 5,
        isDead: true,
        error: `card_declined: insufficient funds for ord_${n} <b>not bold</b>`,
      })
      add(session, 3, {
        type: 'mail.send',
        createdAt,
        lane: 'turn',
        isReady: false,
        isProcessed: false,
      })
      add(session, 4, {
        type: 'mail.send',
        createdAt,
        lane: 'turn',
        isReady: false,
        isProcessed: false,
      })
    } else if (n % 7 === 0) {
      add(session, 2, {
        type: 'mail.send',
        createdAt,
        isProcessed: false,
        attempts: 2,
        failures: 2,
        error: 'connect ECONNREFUSED',
      })
    }
  }
}
