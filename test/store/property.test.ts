import * as fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'

import { postgresBackend, sqliteBackend } from './backends.ts'
import { type Command, commands, runCommand } from './commands.ts'
import { clearIndexIn, type Tables } from './tables.ts'
import { makeWorld, type World } from './world.ts'

const RUNS = 40

/** What the dialects store differently by design, each asserted by a test of its own. */
function comparable(tables: Tables): unknown {
  const events = tables.events.map((row) => {
    const isLive = row.idx > clearIndexIn(tables, row.session_id)
    return {
      ...row,
      // A clearing handler's row is released in one dialect, a settled child ready in the other.
      lane_ready: isLive && row.processed_at === null ? row.lane_ready : null,
      claim_holder: isLive ? row.claim_holder : null,
      claim_expires_at: isLive ? row.claim_expires_at : null,
    }
  })
  return { ...tables, events }
}

/** Answers with the fields of a plain event where one dialect gives more. */
function comparableAnswer(command: Command, answer: unknown): unknown {
  if (command.kind !== 'read') return answer
  return JSON.parse(
    JSON.stringify(answer, (key, value: unknown) => {
      if (key !== 'state' && key !== 'states') return value
      return JSON.parse(JSON.stringify(value, plainFields)) as unknown
    }),
  )
}

const EXTRA_FIELDS = new Set([
  'cause',
  'lane',
  'processedAt',
  'attemptCount',
  'failureCount',
  'failedAt',
  'lastError',
  'claimHolder',
  'claimExpiresAt',
])

function plainFields(key: string, value: unknown): unknown {
  return EXTRA_FIELDS.has(key) ? undefined : value
}

/** Something to work on from the first step. */
const SEED = [
  ...['l', 'l', 'm', null, 'l'].map((lane) => ({ type: 'seed', lane })),
  { type: 'seed', settled: true },
]

async function runBoth(steps: readonly Command[], worlds: readonly [World, World]): Promise<void> {
  for (const { store } of worlds) {
    await store.append('s', SEED)
    await store.claimPending({ sessionId: 's', holder: 'a', ttlMs: 20 })
  }
  for (const command of steps) {
    if (command.kind === 'wait') {
      for (const world of worlds) world.clock.advance(command.ms)
      continue
    }
    const answers: unknown[] = []
    const tables = await worlds[0].dump()
    for (const world of worlds) {
      const answer = await runCommand(world.store, command, tables)
      answers.push(comparableAnswer(command, answer))
    }
    expect(answers[1]).toEqual(answers[0])
    const [left, right] = [await worlds[0].dump(), await worlds[1].dump()]
    expect(comparable(right)).toEqual(comparable(left))
  }
}

describe.each(inject('postgresServers'))('random operations', (server) => {
  it(
    `give the same answers and tables on SQLite and ${server.name}`,
    {
      timeout: 120_000,
    },
    async () => {
      const property = fc.asyncProperty(commands, async (steps) => {
        const worlds = [
          await makeWorld(sqliteBackend),
          await makeWorld(postgresBackend(server)),
        ] as const
        try {
          await runBoth(steps, worlds)
        } finally {
          for (const world of worlds) await world.finish()
        }
      })
      const details = await fc.check(property, { numRuns: RUNS })
      expect(details.failed, fc.defaultReportMessage(details)).toBe(false)
    },
  )
})
