import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'

import { sqlite } from '../../src/store/sqlite/store.ts'
import { dumpSqlite, postgresBackend, withParameter } from './backends.ts'
import { violations } from './invariants.ts'
import { clearIndexIn, eventsOf, headIn, type Tables } from './tables.ts'

const KILLS = 4
const LINES_BEFORE_KILL = 120

/** Runs the writer until it has acknowledged so much, kills it without warning, answers its lines. */
function runAndKill(location: string, prefix: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const script = join(import.meta.dirname, 'crash-writer.ts')
    const child = spawn(process.execPath, [script, location, prefix], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    let errors = ''
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.split('\n').length > LINES_BEFORE_KILL) child.kill('SIGKILL')
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (signal !== 'SIGKILL') reject(new Error(`the writer ended with ${code}: ${errors}`))
      // What stands behind the last line break was not said to the end.
      else resolve(output.split('\n').slice(0, -1))
    })
  })
}

function expectAcknowledged(tables: Tables, lines: readonly string[]): void {
  expect(violations(tables)).toEqual([])
  expect(lines.length).toBeGreaterThanOrEqual(LINES_BEFORE_KILL)
  expect(lines.filter((line) => !isKept(tables, line))).toEqual([])
}

/** Whether what a line of the writer says is still so. */
function isKept(tables: Tables, line: string): boolean {
  const [what, sessionId = '', number, id = ''] = line.split(' ')
  const index = Number(number)
  const clearIndex = clearIndexIn(tables, sessionId)
  if (headIn(tables, sessionId) < index) return false
  if (what === 'cleared') return clearIndex >= index
  // Below the marker it may have been reclaimed.
  if (index < clearIndex) return true
  const row = eventsOf(tables, sessionId).find((one) => one.idx === index)
  if (what === 'appended') return row?.event_id === id
  const hasChild = tables.events.some((one) => one.event_id === id)
  return row?.processed_at !== null && row?.returned_event_ids?.[0] === id && hasChild
}

describe('a writer killed in the middle', () => {
  it('loses nothing it acknowledged on SQLite', { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'a2-crash-'))
    const path = join(folder, 'dev.db')
    try {
      const lines: string[] = []
      for (let kill = 0; kill < KILLS; kill += 1) {
        lines.push(...(await runAndKill(path, `run${kill}`)))
        expectAcknowledged(dumpSqlite(path), lines)
      }
      const store = sqlite({ path })
      const head = headIn(dumpSqlite(path), 's0')
      expect((await store.append('s0', [{ type: 'after' }])).events[0]?.index).toBe(head + 1)
      await store.close()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it.each(inject('postgresServers'))(
    'loses nothing it acknowledged on $name',
    { timeout: 60_000 },
    async (server) => {
      const database = await postgresBackend(server).makeDatabase()
      try {
        const location = withParameter(database.connectionString, 'schema', database.schema)
        const lines: string[] = []
        for (let kill = 0; kill < KILLS; kill += 1) {
          lines.push(...(await runAndKill(location, `run${kill}`)))
          // The server ends what the dead writer had begun.
          expect(await database.leaks()).toEqual([])
          expectAcknowledged(await database.dump(), lines)
        }
      } finally {
        await database.drop()
      }
    },
  )
})
