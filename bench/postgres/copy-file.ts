import { chmodSync, closeSync, openSync, rmSync, writeSync } from 'node:fs'
import type { Client } from 'pg'

import type { GeneratedEvent } from '../generate/events.ts'
import { toValues } from '../generate/sqlite-file.ts'

const COLUMNS = `session_id, idx, event_type, payload, event_id, created_at, cause, lane, lane_ready,
  processed_at, attempt_count, failure_count, failed_at, last_error, claim_holder, claim_expires_at`
const ROWS_A_FILE = 250_000
const ROWS_A_WRITE = 1_000

/** Fills a2_events by files that the server reads itself, one after the other at the same path. */
export async function copyEvents(
  client: Client,
  path: string,
  events: Iterable<GeneratedEvent>,
): Promise<void> {
  let lines: string[] = []
  let inFile = 0
  let file = openSync(path, 'w')
  const flush = (): void => {
    writeSync(file, lines.join(''))
    lines = []
  }
  const load = async (): Promise<void> => {
    flush()
    closeSync(file)
    chmodSync(path, 0o644)
    await client.query(`copy a2_events (${COLUMNS}) from '${path}'`)
    inFile = 0
  }
  for (const event of events) {
    lines.push(`${toValues(event).map(toField).join('\t')}\n`)
    inFile += 1
    if (lines.length === ROWS_A_WRITE) flush()
    if (inFile === ROWS_A_FILE) {
      await load()
      file = openSync(path, 'w')
    }
  }
  await load()
  rmSync(path)
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

function toField(value: string | number | null): string {
  if (value === null) return '\\N'
  return typeof value === 'number'
    ? `${value}`
    : value.replaceAll(/[\\\n\r\t]/g, (found) => ESCAPES[found] ?? found)
}
