import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ORPCError } from '@orpc/client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import type { KnownConnection, ParsedSettings } from '../../src/contract/index.ts'
import { startHttpHost } from '../../src/host/http-host.ts'
import { openConnections } from '../../src/inspector/connections.ts'
import type { CommandQuestion, ConfirmCommand } from '../../src/inspector/servers/command-guard.ts'
import type { ConnectionSettings } from '../../src/model/connection.ts'
import { makeSampleLauncher } from '../../src/shell/sample-launcher.ts'
import { makeTempFolder } from '../host/temp-folder.ts'
import { until } from '../postgres-connect/support/connect.ts'
import { type GuardedServer, startGuardedServer } from './support/guarded-server.ts'
import { visit, type Visitor } from './support/visitor.ts'

let server: GuardedServer
beforeAll(async () => {
  server = await startGuardedServer()
})
afterAll(() => server.stop())

async function setUp(dataFolder = join(makeTempFolder(), 'data'), confirmCommand?: ConfirmCommand) {
  const connections = openConnections({ dataFolder, startFolder: '/' })
  const sample = makeSampleLauncher({
    path: connections.sample.path,
    fork: () => {
      throw new Error('not in this test')
    },
  })
  const host = await startHttpHost({
    port: 0,
    rendererFolder: '/nowhere',
    connections,
    sample,
    ...(confirmCommand === undefined ? {} : { confirmCommand }),
    info: {
      mode: 'browser',
      platform: 'linux',
      version: '0.0.0',
      canShowDialog: false,
      canOpenWindows: false,
      dataFolder,
    },
  })
  let isClosed = false
  const close = async (): Promise<void> => {
    if (!isClosed) await host.close()
    isClosed = true
  }
  onTestFinished(close)
  const tab = visit(host.urlFor('/'))
  return { ...tab, tab, dataFolder, servers: host.servers, close }
}

async function parsed({ host }: Pick<Visitor, 'host'>, text: string) {
  const answer = await host.connections.parse({ text })
  if (!answer.ok) throw new Error(answer.problem.code)
  return answer
}

function asking(settings: ConnectionSettings): ConnectionSettings {
  return { ...settings, password: { from: 'ask' } }
}

/** The code of the error and what came with it. */
async function errorOf(promise: Promise<unknown>): Promise<{ code: string; data: unknown }> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof ORPCError) {
    // One that its contract does not know would be a defect; a question to the person is no failure of the host.
    const isKnown = error.defined || error.code === 'BAD_REQUEST'
    const isFailure = error.status >= 500 && error.code !== 'DATABASE_TROUBLE'
    if (!isKnown || isFailure) throw new Error(`a defect: ${error.message}`)
    return { code: error.code, data: error.data as unknown }
  }
  throw new Error(`it was not refused: ${String(error)}`)
}

test('a password in a text stays with the host, and opens the connection', async () => {
  const { host, database, answers, dataFolder } = await setUp()
  const { settings, password, printed } = await parsed({ host }, server.url(server.password))
  expect(settings).toMatchObject({ user: 'app', port: server.port, environment: 'local' })
  expect(printed).toMatch(/^postgres:\/\/app@127\.0\.0\.1:\d+\/postgres\?/)
  expect(password).toMatchObject({ heldId: expect.any(String) })
  const secrets = { password: password! }
  expect(await host.connections.test({ settings, secrets })).toMatchObject({
    schema: '0.18',
    rights: { canRead: true, canWrite: true },
  })
  const opened = await host.connections.open({ settings, secrets })
  expect(opened).toMatchObject({ kind: 'connection', environment: 'local', name: null })
  const client = database(opened.databaseId)
  expect(await client.facts()).toMatchObject({ dialect: 'postgres', user: 'app' })
  expect(await client.sessions.get({ sessionId: 's' })).toMatchObject({
    summary: { head: 1 },
  })
  expect(await client.connection.state()).toMatchObject({
    state: { status: 'connected' },
    unlockedUntil: null,
    environment: 'local',
  })
  expect(await host.resolve({ databaseId: opened.databaseId })).toStrictEqual(opened)
  expect((await host.files()).recent).toMatchObject([{ databaseId: opened.databaseId }])
  expect(answers()).not.toContain(server.password)
  expect(readFileSync(join(dataFolder, 'connections.json'), 'utf8')).not.toContain(server.password)
})

test('a secret that nobody gave is asked for, a wrong one again; then it is open', async () => {
  const { host, database, answers } = await setUp()
  const settings = asking((await parsed({ host }, server.url())).settings)
  const needed = {
    purpose: 'password',
    connection: `postgres://app@127.0.0.1:${server.port}/postgres`,
  }
  expect(await errorOf(host.connections.test({ settings }))).toMatchObject({
    code: 'SECRET_NEEDED',
  })
  expect(await errorOf(host.connections.open({ settings }))).toStrictEqual({
    code: 'SECRET_NEEDED',
    data: { ...needed, wasRefused: false },
  })
  expect(await host.connections.list()).toStrictEqual([])
  const typed = (text: string) => ({ password: { typed: text } })
  expect(
    await errorOf(host.connections.open({ settings, secrets: typed('wrong-one') })),
  ).toStrictEqual({ code: 'SECRET_NEEDED', data: { ...needed, wasRefused: true } })
  const { databaseId } = await host.connections.open({ settings, secrets: typed(server.password) })
  expect(await host.connections.open({ databaseId })).toMatchObject({ databaseId })
  expect(await database(databaseId).facts()).toMatchObject({ user: 'app' })
  expect(answers()).not.toContain(server.password)
  expect(answers()).not.toContain('wrong-one')
})

test('a password file that was left out is named where the password is asked for', async () => {
  const { host, dataFolder, answers } = await setUp()
  const passfile = join(dirname(dataFolder), 'pgpass')
  writeFileSync(passfile, `*:*:*:*:${server.password}\n`, { mode: 0o644 })
  chmodSync(passfile, 0o644)
  const { settings } = await parsed({ host }, server.url())
  const given = { ...settings, password: { from: 'pgpass', passfile } as const }
  expect(await errorOf(host.connections.open({ settings: given }))).toStrictEqual({
    code: 'SECRET_NEEDED',
    data: {
      purpose: 'password',
      connection: `postgres://app@127.0.0.1:${server.port}/postgres`,
      wasRefused: false,
      ignoredPassfile: { path: passfile, why: 'open-to-others' },
    },
  })
  expect(answers()).not.toContain(server.password)
  chmodSync(passfile, 0o600)
  expect(await host.connections.open({ settings: given })).toMatchObject({ kind: 'connection' })
})

test('after a restart a window finds its server and is asked again', async () => {
  const first = await setUp()
  const settings = asking((await parsed(first, server.url())).settings)
  const secrets = { password: { typed: server.password } }
  const { databaseId } = await first.host.connections.open({ settings, secrets })
  await first.close()
  const { host, database } = await setUp(first.dataFolder)
  expect(await host.resolve({ databaseId })).toMatchObject({ kind: 'connection', databaseId })
  // Without opening it first, each question says what is missing.
  expect(await errorOf(database(databaseId).facts())).toMatchObject({
    code: 'DATABASE_TROUBLE',
    data: { kind: 'password-missing' },
  })
  expect(await errorOf(host.connections.open({ databaseId }))).toMatchObject({
    code: 'SECRET_NEEDED',
  })
  await host.connections.open({ databaseId, secrets })
  expect(await database(databaseId).facts()).toMatchObject({ user: 'app' })
})

test('saved connections are kept for this user alone, without what was typed', async () => {
  const { host, dataFolder } = await setUp()
  const { settings } = await parsed({ host }, server.url())
  const save = (name: string, databaseId: string | null = null) =>
    host.connections.save({
      databaseId,
      name,
      settings: { ...asking(settings), environment: 'staging' },
      secrets: { password: { typed: server.password } },
    })
  const one = await save('Staging')
  const two = await save('Another')
  expect(two.databaseId).not.toBe(one.databaseId)
  expect((await host.connections.list()).map(({ name }: KnownConnection) => name)).toStrictEqual([
    'Another',
    'Staging',
  ])
  const renamed = await save('Renamed', one.databaseId)
  expect(renamed).toMatchObject({ databaseId: one.databaseId, openedAt: null })
  const file = join(dataFolder, 'connections.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).not.toContain(server.password)
  await host.connections.remove({ databaseId: two.databaseId })
  await host.connections.remove({ databaseId: 'unknown' })
  expect(await host.connections.list()).toMatchObject([{ name: 'Renamed' }])
  await host.forget({ databaseId: one.databaseId })
  expect(await host.connections.list()).toMatchObject([{ name: 'Renamed' }])
  expect(await errorOf(host.connections.open({ databaseId: two.databaseId }))).toMatchObject({
    code: 'UNKNOWN_DATABASE',
  })
})

test('a password that came with a server is not lost by saving it, and goes nowhere else', async () => {
  const { host, database, servers, answers, dataFolder } = await setUp()
  const prepared = await servers.prepare(server.url(server.password))
  if (!('databaseId' in prepared)) throw new Error(prepared.problem.code)
  const { databaseId } = prepared
  await host.connections.open({ databaseId })
  const [listed] = await host.connections.list()
  expect(listed).toMatchObject({ name: null, isPasswordHeld: true })
  const settings = asking(listed!.settings)

  // Another way to the server does not get it.
  const ways = [
    { hostAddress: '127.0.0.1' },
    { tls: { ...settings.tls, mode: 'disable' as const } },
  ]
  for (const way of ways) {
    const elsewhere = host.connections.test({ databaseId, settings: { ...settings, ...way } })
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await errorOf(elsewhere)).toMatchObject({ code: 'SECRET_NEEDED' })
  }
  expect(await host.connections.test({ databaseId, settings })).toMatchObject({ schema: '0.18' })

  const saved = await host.connections.save({ databaseId, name: 'Kept', settings })
  expect(saved).toMatchObject({ databaseId, name: 'Kept', isPasswordHeld: true })
  await host.connections.open({ databaseId })
  expect(await database(databaseId).facts()).toMatchObject({ user: 'app' })

  // Now it has a name and its own source: each time it is asked for.
  expect((await host.connections.list())[0]?.isPasswordHeld).toBeUndefined()
  await host.connections.save({ databaseId, name: 'Renamed', settings })
  expect(await errorOf(host.connections.open({ databaseId }))).toMatchObject({
    code: 'SECRET_NEEDED',
  })
  expect(answers()).not.toContain(server.password)
  expect(readFileSync(join(dataFolder, 'connections.json'), 'utf8')).not.toContain(server.password)
})

test('a password that came with a server is dropped with it, or when it is saved as another', async () => {
  const { host, servers } = await setUp()
  const prepare = async () => {
    const prepared = await servers.prepare(server.url(server.password))
    if (!('databaseId' in prepared)) throw new Error(prepared.problem.code)
    return prepared.databaseId
  }
  const databaseId = await prepare()
  await host.forget({ databaseId })
  const { settings } = await parsed({ host }, server.url())
  const open = () => errorOf(host.connections.open({ settings: asking(settings) }))
  expect(await open()).toMatchObject({ code: 'SECRET_NEEDED' })

  await prepare()
  const other = { ...asking(settings), hostAddress: '127.0.0.1' }
  const saved = await host.connections.save({ databaseId, name: 'Other', settings: other })
  expect(saved.isPasswordHeld).toBeUndefined()
  expect(await errorOf(host.connections.open({ databaseId }))).toMatchObject({
    code: 'SECRET_NEEDED',
  })
})

test('a password in a text is used for the first opening of what is saved with it', async () => {
  const { host } = await setUp()
  const { settings, password } = await parsed({ host }, server.url(server.password))
  const { databaseId } = await host.connections.save({
    databaseId: null,
    name: 'New',
    settings: asking(settings),
    secrets: { password: password! },
  })
  expect(await host.connections.open({ databaseId })).toMatchObject({ name: 'New' })
})

test('this host keeps no secrets, and says so', async () => {
  const { host } = await setUp()
  const facts = { isAvailable: false, why: 'browser', backend: null }
  expect(await host.connections.vault()).toStrictEqual(facts)
  const { settings } = await parsed({ host }, server.url())
  const stored = { ...settings, password: { from: 'stored' as const, id: 'of my choice' } }
  const secrets = { password: { typed: server.password } }
  const saving = host.connections.save({ databaseId: null, name: 'x', settings: stored, secrets })
  expect(await errorOf(saving)).toStrictEqual({ code: 'VAULT_UNAVAILABLE', data: facts })
  expect(await host.connections.list()).toStrictEqual([])
})

test('a list that cannot be understood is kept aside', async () => {
  const { host, dataFolder } = await setUp()
  const { settings } = await parsed({ host }, server.url())
  await host.connections.save({ databaseId: null, name: 'x', settings })
  const file = join(dataFolder, 'connections.json')
  writeFileSync(file, 'not a list')
  expect(await host.connections.list()).toStrictEqual([])
  await host.connections.save({ databaseId: null, name: 'y', settings })
  expect(readFileSync(`${file}.damaged`, 'utf8')).toBe('not a list')
  expect(await host.connections.list()).toMatchObject([{ name: 'y' }])
})

test('settings that make no sense, and input that is none, are refused without being repeated', async () => {
  const { host, answers } = await setUp()
  const { settings } = await parsed({ host }, server.url())
  const opening = host.connections.open({ settings: { ...settings, sshHost: '-oProxyCommand=x' } })
  expect(await errorOf(opening)).toMatchObject({
    code: 'SETTINGS_PROBLEM',
    data: { code: 'ssh-host' },
  })
  const answer: ParsedSettings = await host.connections.parse({
    text: 'postgres://u:hunter2@x:y@h',
  })
  expect(answer).toMatchObject({ ok: false })
  const secrets = { password: { typed: `hunter2${'\u0000'.repeat(5000)}` } }
  expect(await errorOf(host.connections.open({ settings, secrets }))).toMatchObject({
    code: 'BAD_REQUEST',
  })
  const expired = { password: { heldId: 'unknown' } }
  expect(await errorOf(host.connections.open({ settings, secrets: expired }))).toMatchObject({
    code: 'SECRET_EXPIRED',
  })
  expect(answers()).not.toContain('hunter2')
})

/** A program that prints the password, and leaves a line where it was run. */
function makeCommand(): { readonly script: string; readonly runs: () => number } {
  const folder = makeTempFolder()
  const [script, log] = [join(folder, 'give'), join(folder, 'runs')]
  writeFileSync(script, `#!/bin/sh\necho run >> '${log}'\necho '${server.password}'\n`)
  chmodSync(script, 0o700)
  return { script, runs: () => (existsSync(log) ? readFileSync(log, 'utf8').length / 4 : 0) }
}

test('a command that nobody confirmed is not run, by no way, and nothing is kept of it', async () => {
  const { host, dataFolder } = await setUp()
  const { settings } = await parsed({ host }, server.url())
  const { script, runs } = makeCommand()
  const command = { from: 'command' as const, argv: [script] }
  const refused = {
    code: 'COMMAND_NOT_CONFIRMED',
    data: { connection: `postgres://app@127.0.0.1:${server.port}/postgres`, why: 'refused' },
  }
  const given = { ...settings, password: command }
  const { save, test: tryOut, open } = host.connections
  expect(await errorOf(tryOut({ settings: given }))).toStrictEqual(refused)
  expect(await errorOf(open({ settings: given }))).toStrictEqual(refused)
  const passphrase = { ...settings, keyPassphrase: command }
  for (const one of [given, passphrase]) {
    const saved = save({ databaseId: null, name: 'New', settings: one })
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await errorOf(saved)).toStrictEqual(refused)
  }
  const kept = await save({ databaseId: null, name: 'Kept', settings: asking(settings) })
  const { databaseId } = kept
  expect(await errorOf(save({ databaseId, name: 'Kept', settings: given }))).toStrictEqual(refused)
  expect(await host.connections.list()).toStrictEqual([kept])
  expect(readFileSync(join(dataFolder, 'connections.json'), 'utf8')).not.toContain(script)
  const long = { ...settings, password: { from: 'command' as const, argv: ['x'.repeat(2_000)] } }
  expect(await errorOf(tryOut({ settings: long }))).toMatchObject({ data: { why: 'too-long' } })
  expect(runs()).toBe(0)
})

test('a confirmed command is asked about once, and again when it or its server is another', async () => {
  const questions: CommandQuestion[] = []
  const confirm: ConfirmCommand = async (question) => questions.push(question) > 0
  const first = await setUp(undefined, confirm)
  const { settings } = await parsed(first, server.url())
  const { script, runs } = makeCommand()
  const given = { ...settings, password: { from: 'command' as const, argv: [script] } }
  const { connections } = first.host
  await Promise.all([1, 2].map(() => connections.test({ settings: given })))
  const saved = await connections.save({ databaseId: null, name: 'Orders', settings: given })
  await connections.open({ databaseId: saved.databaseId })
  expect(runs()).toBe(3)
  const connection = `postgres://app@127.0.0.1:${server.port}/postgres`
  const question = { purpose: 'password', connection, command: `"${script}"` }
  expect(questions).toStrictEqual([question])
  await first.close()

  // After a restart it is known by the list.
  const { host } = await setUp(first.dataFolder, confirm)
  await host.connections.test({ settings: given })
  expect(questions).toHaveLength(1)
  const changes = [
    { ...given, password: { from: 'command' as const, argv: [script, '-v'] } },
    { ...given, host: 'elsewhere.invalid' },
    { ...given, hostAddress: '127.0.0.2' },
    { ...given, user: 'app2' },
  ]
  for (const [at, changed] of changes.entries()) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await errorOf(host.connections.test({ settings: changed })).catch(() => {})
    expect(questions).toHaveLength(at + 2)
  }
})

test('a password comes from a command, and its refusal asks nobody', async () => {
  const { host } = await setUp(undefined, async () => true)
  const { settings } = await parsed({ host }, server.url())
  const script = join(makeTempFolder(), 'give')
  writeFileSync(script, `#!/bin/sh\necho '${server.password}'\n`)
  chmodSync(script, 0o700)
  const password = { from: 'command' as const, argv: [script] }
  const opened = await host.connections.open({ settings: { ...settings, password } })
  expect(opened.kind).toBe('connection')
  writeFileSync(script, `#!/bin/sh\necho wrong\n`)
  const other = { ...settings, password, schema: 'public' }
  expect(await errorOf(host.connections.test({ settings: other }))).toMatchObject({
    code: 'DATABASE_TROUBLE',
    data: { kind: 'auth-failed' },
  })
})

test('on production the id of the session has to be typed, below the screens', async () => {
  const { host, database, dataFolder } = await setUp()
  const { settings, password } = await parsed({ host }, server.url(server.password))
  await server.administer(
    `insert into a2_events (session_id, idx, event_type, payload, event_id, created_at, lane_ready)
     values ('precious', 1, 'thing', '1', 'precious-1', 1, true)`,
  )
  const { databaseId } = await host.connections.open({
    settings: { ...settings, environment: 'production' },
    secrets: { password: password! },
  })
  const client = database(databaseId)
  const wanted = { sessionId: 'precious', ifLastIndex: 1, createClearsTable: false }
  expect(await errorOf(client.actions.clear(wanted))).toMatchObject({ code: 'WRITING_LOCKED' })
  const before = Date.now()
  const { isUnlocked, until: lockedAt } = await client.writing.unlock()
  expect(isUnlocked).toBe(true)
  expect(lockedAt).toBeGreaterThanOrEqual(before + 10 * 60_000)
  expect((await client.connection.state())?.unlockedUntil).toBe(lockedAt)
  for (const confirmation of [undefined, '', 'Precious', 'precious '])
    expect(
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await client.actions.clear({ ...wanted, confirmation }),
    ).toMatchObject({ outcome: 'refused', reason: 'needs-confirmation' })
  const rows = () => server.administer(`select idx from a2_events where session_id = 'precious'`)
  const unseen = { sessionId: 'precious', createClearsTable: false, confirmation: 'precious' }
  expect(await client.actions.clear({ ...unseen, ifClearIndex: 0, lastSeen: 1 })).toMatchObject({
    outcome: 'refused',
    reason: 'not-on-production',
  })
  expect(await rows()).toHaveLength(1)
  expect(await client.actions.clear({ ...wanted, confirmation: 'precious' })).toMatchObject({
    outcome: 'done',
  })
  const reclaim = async (confirmation?: string) => {
    const steps = await client.actions.reclaim({
      sessionId: 'precious',
      clearIndex: 2,
      ...(confirmation === undefined ? {} : { confirmation }),
    })
    let last = null
    for await (const step of steps) last = step
    return last
  }
  expect(await reclaim()).toMatchObject({ status: 'failed', reason: 'needs-confirmation' })
  expect(await rows()).toHaveLength(2)
  expect(await reclaim('precious')).toMatchObject({ status: 'done', deleted: 1 })
  expect(await client.writing.lock()).toStrictEqual({ isUnlocked: false, until: null })
  expect(readFileSync(join(dataFolder, 'audit.ndjson'), 'utf8')).not.toContain(server.password)
})

test('what becomes of the connection is told live', async () => {
  const { host, database } = await setUp()
  const { settings, password } = await parsed({ host }, server.url(server.password))
  const secrets = { password: password! }
  const { databaseId } = await host.connections.open({ settings, secrets })
  const client = database(databaseId)
  const stop = new AbortController()
  const live = await client.live({ isVisible: true }, { signal: stop.signal })
  const heard: string[] = []
  const listening = (async () => {
    for await (const message of live) {
      if (message.kind === 'hello') heard.push('hello')
      if (message.kind !== 'connection') continue
      const { state, unlockedUntil } = message.report
      heard.push(`${state.status}${unlockedUntil === null ? '' : ' unlocked'}`)
    }
  })().catch(() => {})
  await until(() => heard.length >= 2)
  expect(heard.slice(0, 2)).toStrictEqual(['hello', 'connected'])
  await client.writing.unlock()
  await until(() => heard.includes('connected unlocked'))
  await client.writing.lock()
  await server.administer(
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'`,
  )
  await until(() => heard.includes('reconnecting'))
  await client.connection.reconnect()
  await until(() => heard.at(-1) === 'connected')
  stop.abort()
  await listening
})

test('a question under way is stopped, on the server too', async () => {
  const { host, database } = await setUp()
  const { settings, password } = await parsed({ host }, server.url(server.password))
  const secrets = { password: password! }
  const { databaseId } = await host.connections.open({ settings, secrets })
  const client = database(databaseId)
  await client.facts()
  expect(await client.connection.cancel()).toStrictEqual({ cancelled: 0 })
  // A lock in the way makes the question last.
  const locker = server.administer(
    `begin; lock table a2_events in access exclusive mode; select pg_sleep(4); commit`,
  )
  const waiting = `select 1 from pg_stat_activity where usename = 'app' and wait_event_type = 'Lock'`
  await until(
    async () =>
      (
        await server.administer(
          `select 1 from pg_locks where mode = 'AccessExclusiveLock' and granted`,
        )
      ).length > 0,
  )
  const question = errorOf(client.events.range({ sessionId: 's', from: 1, to: 5 }))
  await until(async () => (await server.administer(waiting)).length > 0)
  expect((await client.connection.cancel()).cancelled).toBeGreaterThan(0)
  expect(await question).toMatchObject({ code: 'DATABASE_TROUBLE', data: { kind: 'cancelled' } })
  await locker
})

test('a file has no connection', async () => {
  const { host, database, dataFolder } = await setUp()
  const { databaseId, kind } = await host.open({ path: join(dataFolder, 'none.db') })
  expect(kind).toBe('file')
  expect(await database(databaseId).connection.state()).toBeNull()
  expect(existsSync(join(dataFolder, 'none.db'))).toBe(false)
})
