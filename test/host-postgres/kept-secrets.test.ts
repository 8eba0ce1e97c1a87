import { afterAll, beforeAll, expect, test } from 'vitest'

import { openConnections } from '../../src/inspector/connections.ts'
import type { Secrets } from '../../src/inspector/servers/secrets.ts'
import { recallServer, Servers } from '../../src/inspector/servers/servers.ts'
import type { Vault } from '../../src/inspector/servers/vault.ts'
import type { ConnectionSettings } from '../../src/model/connection.ts'
import type { Secret } from '../../src/model/secret.ts'
import { makeTempFolder } from '../host/temp-folder.ts'
import { emptyMachine } from '../postgres-connect/support/connect.ts'
import { type GuardedServer, startGuardedServer } from './support/guarded-server.ts'

let server: GuardedServer
beforeAll(async () => {
  server = await startGuardedServer()
})
afterAll(() => server.stop())

/** A vault in memory, and a host that only notes what it would connect with. */
async function setUp() {
  const kept = new Map<string, Secret>()
  const vault: Vault = {
    facts: async () => ({ isAvailable: true, backend: 'keychain' }),
    read: async (id) => kept.get(id) ?? null,
    write: async (id, secret) => void kept.set(id, secret),
    remove: async (id) => void kept.delete(id),
  }
  const connections = openConnections({ dataFolder: makeTempFolder(), startFolder: '/' })
  const asked: (string | undefined)[] = []
  const closed: string[] = []
  const servers = new Servers({
    connections,
    vault,
    machine: emptyMachine(),
    connect: async (_, secrets: Secrets | null) => {
      asked.push(secrets?.password?.reveal())
      return null
    },
    disconnect: async (databaseId) => void closed.push(databaseId),
  })
  const recall = async (databaseId: string) =>
    (await recallServer({ connections, vault }, databaseId))?.secrets.password?.reveal()
  const parsed = await servers.parse(server.url())
  if (!parsed.ok) throw new Error(parsed.problem.code)
  const settings: ConnectionSettings = {
    ...parsed.settings,
    password: { from: 'stored', id: 'whatever the screen says' },
  }
  const secrets = { password: { typed: server.password } }
  return { servers, kept, recall, asked, closed, settings, secrets }
}

test('a saved secret is kept under an id of its own and found for its connection', async () => {
  const { servers, kept, recall, settings, secrets } = await setUp()
  const saved = await servers.save({ databaseId: null, name: 'x', settings, secrets })
  expect(await recall(saved.databaseId)).toBe(server.password)
  expect([...kept.keys()].join()).toContain(saved.databaseId)
  expect(JSON.stringify(saved)).not.toContain('whatever')
  // The test button uses it without its being typed again.
  expect(await servers.test({ settings, databaseId: saved.databaseId })).toMatchObject({
    schema: '0.18',
  })
  await servers.remove(saved.databaseId)
  expect(kept.size).toBe(0)
})

test('a kept secret is not sent to another server or for another user', async () => {
  const { servers, kept, recall, closed, settings, secrets } = await setUp()
  const { databaseId } = await servers.save({ databaseId: null, name: 'x', settings, secrets })
  // The same server and, for app2, the same password: with the kept one each would succeed.
  await server.administer(`create role app2 login password '${server.password}'`)
  for (const other of [
    { ...settings, host: 'localhost' },
    { ...settings, hostAddress: '127.0.0.1' },
    { ...settings, user: 'app2' },
  ])
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await expect(servers.test({ settings: other, databaseId })).rejects.toMatchObject({
      code: 'SECRET_NEEDED',
    })
  expect(await servers.test({ settings, databaseId })).toMatchObject({ schema: '0.18' })
  await servers.save({ databaseId, name: 'x', settings: { ...settings, host: 'elsewhere' } })
  expect(await recall(databaseId)).toBeUndefined()
  expect(kept.size).toBe(0)
  expect(closed).toStrictEqual([databaseId])
})

test('renaming keeps the secret; asking each time removes it', async () => {
  const { servers, kept, recall, settings, secrets } = await setUp()
  const { databaseId } = await servers.save({ databaseId: null, name: 'x', settings, secrets })
  await servers.save({ databaseId, name: 'y', settings })
  expect(await recall(databaseId)).toBe(server.password)
  await servers.save({
    databaseId,
    name: 'y',
    settings: { ...settings, password: { from: 'ask' } },
  })
  expect(kept.size).toBe(0)
})

test('a typed secret is kept once the server took it', async () => {
  const { servers, recall, asked, settings, secrets } = await setUp()
  const { databaseId } = await servers.save({ databaseId: null, name: 'x', settings })
  expect(await recall(databaseId)).toBeUndefined()
  await servers.open({ databaseId, secrets })
  expect(await recall(databaseId)).toBe(server.password)
  await servers.open({ databaseId })
  expect(asked).toStrictEqual([server.password, undefined])
})

test('a connection of the command line is opened with its password, which is then forgotten', async () => {
  const { servers, asked } = await setUp()
  const prepared = await servers.prepare(server.url(server.password))
  if (!('databaseId' in prepared)) throw new Error(prepared.problem.code)
  expect(servers.list()).toMatchObject([{ databaseId: prepared.databaseId }])
  expect(JSON.stringify(servers.list())).not.toContain(server.password)
  await servers.open(prepared)
  await servers.open(prepared)
  expect(asked).toStrictEqual([server.password, undefined])
})

test('a secret that came in the URL of a start is kept when its connection is saved', async () => {
  const { servers, kept, recall, asked, settings } = await setUp()
  const prepared = await servers.prepare(server.url(server.password))
  if (!('databaseId' in prepared)) throw new Error(prepared.problem.code)
  const { databaseId } = prepared
  await servers.open({ databaseId })
  expect(kept.size).toBe(0)
  await servers.save({ databaseId, name: 'x', settings })
  expect(await recall(databaseId)).toBe(server.password)
  await servers.open({ databaseId })
  expect(asked).toStrictEqual([server.password, server.password])
})

test('a secret that came in the URL of a start is not kept for another server or way', async () => {
  const { servers, kept, asked, settings } = await setUp()
  const ways: Partial<ConnectionSettings>[] = [
    { host: 'localhost' },
    { user: 'app2' },
    { tls: { ...settings.tls, mode: 'disable' } },
  ]
  for (const way of ways) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const prepared = await servers.prepare(server.url(server.password))
    if (!('databaseId' in prepared)) throw new Error(prepared.problem.code)
    const { databaseId } = prepared
    // oxlint-disable-next-line no-await-in-loop
    await servers.save({ databaseId, name: 'x', settings: { ...settings, ...way } })
    // oxlint-disable-next-line no-await-in-loop
    await servers.open({ databaseId })
    // oxlint-disable-next-line no-await-in-loop
    await servers.remove(databaseId)
  }
  expect(kept.size).toBe(0)
  expect(asked).toStrictEqual([undefined, undefined, undefined])
})
