import { backgroundContract } from '../../../src/contract/background-contract.ts'
import { databaseContract } from '../../../src/contract/database-contract.ts'
import { type Client, type Opened, viewAll } from '../../inspector/support/open.ts'
import { SEARCH_SCOPES } from '../../../src/model/search.ts'
import { listen } from '../../inspector/support/listen.ts'

/** The names of all procedures: `sessions.view`. */
function procedureNames(part: object = databaseContract, prefix = ''): string[] {
  return Object.entries(part).flatMap(([name, value]: [string, object]) =>
    '~orpc' in value ? [`${prefix}${name}`] : procedureNames(value, `${prefix}${name}.`),
  )
}

/** Every procedure by its name, with what is stored in small.db; writes are expected to be refused. */
function callsOf(client: Client): Record<string, () => Promise<unknown>> {
  const sessionId = 'order:ord_2026_000918'
  const key = { sessionId, index: 1 }
  const view = () => viewAll(client)
  const dead = () => client.deadLetters.view({ text: 'vat' })
  const page = { offset: 0, limit: 200 }
  return {
    facts: () => client.facts(),
    footprint: () => client.footprint(),
    'sessions.view': view,
    'sessions.counts': () => client.sessions.counts({ text: 'o' }),
    'sessions.rows': async () => client.sessions.rows({ viewId: (await view()).viewId, ...page }),
    'sessions.get': () => client.sessions.get({ sessionId: 'agent:research-7f3a' }),
    'sessions.find': () => client.sessions.find({ text: 'o', limit: 10 }),
    'events.range': () => client.events.range({ sessionId, from: 1, to: 500 }),
    'events.get': () => client.events.get(key),
    'events.payload': () => client.events.payload({ ...key, offsetBytes: 0 }),
    'events.locate': () => client.events.locate({ eventId: 'x' }),
    'snapshots.list': () => client.snapshots.list({ sessionId: 'agent:research-7f3a' }),
    'snapshots.state': () =>
      client.snapshots.state({
        sessionId: 'agent:research-7f3a',
        reducer: 'notes',
        upToIndex: 37,
        source: 'head',
        offsetBytes: 0,
      }),
    'deadLetters.view': dead,
    'deadLetters.rows': async () =>
      client.deadLetters.rows({ viewId: (await dead()).viewId, ...page }),
    presence: () => client.presence(),
    'writing.unlock': () => client.writing.unlock(),
    'writing.lock': () => client.writing.lock(),
    'connection.state': () => client.connection.state(),
    'connection.reconnect': () => client.connection.reconnect(),
    'connection.cancel': () => client.connection.cancel(),
    'actions.previewClear': () => client.actions.previewClear({ sessionId }),
    'actions.clear': () =>
      client.actions.clear({ sessionId, ifLastIndex: 7, createClearsTable: true }),
    'actions.stopReclaim': () => client.actions.stopReclaim({ sessionId }),
    'actions.previewReclaim': () => client.actions.previewReclaim({ sessionId }),
    'actions.reclaim': async () => {
      const steps = await client.actions.reclaim({
        sessionId: 'agent:research-7f3a',
        clearIndex: 27,
      })
      for await (const step of steps) if (step.status !== 'running') return step
      return null
    },
    'actions.previewRedrive': () => client.actions.previewRedrive({ ...key, action: 'skip' }),
    'actions.redrive': () => client.actions.redrive({ ...key, action: 'skip' }),
    audit: () => client.audit({ scope: 'all', beforeOffset: null, limit: 10 }),
    live: async () => {
      const { stop, hear } = await listen(client)
      await hear('counts')
      await stop()
    },
  }
}

/** The same of both routers; a procedure that is new in a contract has to be added above. */
export function allCallsOf({
  client,
  background,
}: Pick<Opened, 'client' | 'background'>): Record<string, () => Promise<unknown>> {
  const calls = {
    ...callsOf(client),
    search: async () => {
      const steps = await background.search({
        text: 'vat',
        matchCase: false,
        sessionId: null,
        eventType: null,
        scope: SEARCH_SCOPES[0],
      })
      let last: unknown = null
      for await (const step of steps) last = step
      return last
    },
  }
  const names = [...procedureNames(), ...procedureNames(backgroundContract)]
  const missing = names.filter((name) => !Object.hasOwn(calls, name))
  if (missing.length > 0) throw new Error(`nobody tries ${missing.join(', ')}`)
  return calls
}

/** Everything a person can read, once. */
export async function browse(client: Client): Promise<void> {
  const calls = callsOf(client)
  for (const [name, call] of Object.entries(calls)) {
    const isWrite = /^writing|actions\.(clear|reclaim|redrive)$/.test(name)
    // oxlint-disable-next-line no-await-in-loop -- as a person would
    if (!isWrite) await call()
  }
}
