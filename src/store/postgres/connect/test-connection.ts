import type { ConnectionTest } from '../../../model/connection.ts'
import { makeDeadline, within } from './deadline.ts'
import { ROLES, settingsOf, transactionSettings } from './guard.ts'
import { CONNECT_DEADLINE_MS, openClient } from './open-client.ts'
import type { OpenClient } from './opened-client.ts'
import { RIGHTS, toRights } from './server-rights.ts'
import { makeTarget, type Target, type TargetOptions } from './target.ts'
import { makeTrouble } from './trouble.ts'

const ROUND_TRIPS = 5

/** Connects once, looks at the catalogue, and closes again. Rejects with StoreTrouble; leaves nothing open. */
export async function testConnection(
  options: TargetOptions,
  { deadlineMs = CONNECT_DEADLINE_MS }: { readonly deadlineMs?: number } = {},
): Promise<ConnectionTest> {
  const target = makeTarget(options)
  const client = await openClient(target, ROLES.interactive, deadlineMs)
  const late = makeTrouble(target.maker, 'timeout', 'deadline')
  try {
    return await within(makeDeadline(deadlineMs), look(client, target), () => late)
  } catch (error) {
    client.destroy(late)
    throw error
  } finally {
    await client.end()
  }
}

async function look(client: OpenClient, target: Target): Promise<ConnectionTest> {
  // Behind a pooler the search path would not be in force without a transaction.
  const settings = settingsOf(ROLES.interactive, target.settings.schema)
  const answers = await client.send([
    { sql: 'begin', params: [] },
    ...transactionSettings(ROLES.interactive, settings),
    RIGHTS,
    { sql: 'commit', params: [] },
  ])
  const { schema, estimatedEvents, bytes, ...rights } = toRights(answers.at(-2) ?? [])
  const server = client.facts()
  return {
    server,
    schema,
    rights: { ...rights, canWrite: rights.canWrite && !server.isStandby },
    size: { estimatedEvents, bytes },
    ...(await measure(client)),
  }
}

/** The clock is compared in the middle of the fastest round trip. */
async function measure(client: OpenClient) {
  const trips: { readonly ms: number; readonly differenceMs: number }[] = []
  const statement = {
    sql: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
    params: [],
  }
  for (let trip = 0; trip < ROUND_TRIPS; trip += 1) {
    const [sentAt, started] = [Date.now(), performance.now()]
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what is measured
    const [rows] = await client.send([statement])
    const ms = performance.now() - started
    trips.push({ ms, differenceMs: Number(rows?.[0]?.['now']) - (sentAt + ms / 2) })
  }
  const sorted = trips.toSorted((a, b) => a.ms - b.ms)
  return {
    latencyMs: sorted[Math.floor(ROUND_TRIPS / 2)]!.ms,
    clockDifferenceMs: Math.round(sorted[0]!.differenceMs),
  }
}
