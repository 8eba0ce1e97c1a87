import { Pace } from '../../src/inspector/pace.ts'
import { openPostgresReader } from '../../src/inspector/postgres-reader.ts'
import { SessionIndex } from '../../src/inspector/session-index.ts'
import { WorkIndex } from '../../src/inspector/work-index.ts'
import { makeCredentials } from '../../src/store/postgres/connect/credentials.ts'
import { openGate, type PostgresGate } from '../../src/store/postgres/connect/gate.ts'
import { resolveSettings } from '../../src/store/postgres/connect/resolve-settings.ts'
import { BOTH_SIZES, defineGoal } from '../goal.ts'
import { compare } from '../measure/outcome.ts'
import { roundRobin, timed } from '../measure/rounds.ts'
import { startTwin, type Twin } from '../postgres/twin.ts'

const ignore = (): void => {}

/** The two connections the app has to a server. */
async function openGateTo({ connectionString }: Twin): Promise<PostgresGate> {
  const machine = { env: {}, home: '/nonexistent', user: 'nobody' }
  const resolved = await resolveSettings({ text: connectionString }, machine)
  if (!resolved.ok) throw new Error(resolved.problem.code)
  const { settings, password, keyPassphrase } = resolved
  const credentials = makeCredentials(settings, { machine, password, keyPassphrase })
  return openGate({ settings, machine, credentials })
}

const SQL = {
  groupBy: 'select session_id, max(idx), count(*) from a2_events group by session_id',
  scan: `select count(*) filter (where failed_at is null), count(failed_at)
    from a2_events where processed_at is null`,
} as const

export const server = defineGoal({
  title: 'The same on a Postgres',
  sizes: BOTH_SIZES,
  lines: {
    first: { name: 'Postgres: first 50 sessions', floor: 'select 1', limit: 15 },
    all: { name: 'Postgres: all sessions, in pages', floor: 'group by on the key', limit: 1.5 },
    pass: {
      name: 'Postgres: counting pass, by blocks',
      floor: 'one scan by one worker',
      limit: 1.6,
    },
  },
  async measure(bench) {
    const twin = await startTwin(bench.size, bench.log)
    try {
      return await measureOn(twin)
    } finally {
      await twin.stop()
    }
  },
})

async function measureOn(twin: Twin) {
  const raw = await twin.connect()
  const alone = await twin.connect()
  await alone.query('set max_parallel_workers_per_gather = 0')
  const gate = await openGateTo(twin)
  const reader = openPostgresReader({ server: gate })
  const pace = new Pace(
    () => 0,
    () => reader.effort.sliceMs(),
  )
  await reader.capabilities()
  const found = await roundRobin({
    one: timed(() => raw.query('select 1'), 20),
    first: timed(() => reader.sessionPage(null, 50), 20),
    groupBy: timed(() => raw.query(SQL.groupBy)),
    all: timed(() => new SessionIndex(reader, pace).bringUpToDate(ignore)),
    scan: timed(() => alone.query(SQL.scan)),
    pass: timed(() => new WorkIndex(reader, pace).bringUpToDate(ignore)),
  })
  reader.close()
  await Promise.all([gate.close(), raw.end(), alone.end()])
  return {
    first: compare(found.first, found.one),
    all: compare(found.all, found.groupBy),
    pass: compare(found.pass, found.scan),
  }
}
