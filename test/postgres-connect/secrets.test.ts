import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { Secret } from '../../src/model/secret.ts'
import type { SecretVault } from '../../src/store/postgres/connect/credentials.ts'
import { openGate } from '../../src/store/postgres/connect/gate.ts'
import { openClient } from '../../src/store/postgres/connect/open-client.ts'
import { ROLES } from '../../src/store/postgres/connect/guard.ts'
import { runSecretCommand } from '../../src/store/postgres/connect/secret-command.ts'
import { makeTarget } from '../../src/store/postgres/connect/target.ts'
import { findBinaries, type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { administer, emptyMachine, storeTroubleOf, targetOf, troubleOf } from './support/connect.ts'

const PASSWORD = 'gr3at/s3cret:€ %'
const WRONG = 'wr0ng-s3cret'

let server: PostgresServer
let url: string

beforeAll(async () => {
  server = await startPostgres(findBinaries()[0]!, {
    isDurable: false,
    hba: [
      'host all postgres 127.0.0.1/32 trust',
      'host all plain 127.0.0.1/32 password',
      'host all app 127.0.0.1/32 scram-sha-256',
      'host all hashed 127.0.0.1/32 md5',
    ],
  })
  url = `postgres://app@127.0.0.1:${server.port}/postgres`
  await administer(
    server.connectionString,
    `create role app login password '${PASSWORD}'`,
    `create role plain login password '${PASSWORD}'`,
    `set password_encryption = 'md5'`,
    `create role hashed login password '${PASSWORD}'`,
  )
})
afterAll(() => server.stop())

/** What Node would print of it in a log, with everything it can reach. */
function deep(value: unknown): string {
  return inspect(value, { depth: Infinity, showHidden: true, getters: true })
}

async function opensAndCloses(target: Parameters<typeof openGate>[0]): Promise<void> {
  const gate = await openGate(target)
  expect(gate.state().status).toBe('connected')
  await gate.close()
}

function script(text: string): string {
  const path = join(emptyMachine().home, 'script')
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o700)
  return path
}

test.each(['app', 'plain', 'hashed'])('%s logs in with the password of the URL', async (user) => {
  const withPassword = url.replace('app@', `${user}:${encodeURIComponent(PASSWORD)}@`)
  const gate = await openGate(await targetOf(withPassword))
  expect(await gate.interactive.query({ sql: 'select current_user', params: [] })).toStrictEqual([
    { current_user: user },
  ])
  expect(deep([gate.settings, gate.path, gate.state()])).not.toContain('s3cret')
  await gate.close()
})

test('a wrong password is told without it', async () => {
  const target = await targetOf(url.replace('app@', `app:${WRONG}@`))
  const error = await storeTroubleOf(openGate(target))
  expect(error.trouble).toMatchObject({ kind: 'auth-failed', code: '28P01' })
  expect(error.trouble.path).toBe(url)
  expect(deep(error) + error.stack + JSON.stringify(error)).not.toContain('s3cret')
  expect(deep(target)).not.toContain('s3cret')
})

test('the open client of the driver keeps no password', async () => {
  const target = makeTarget(
    await targetOf(url.replace('app@', `app:${encodeURIComponent(PASSWORD)}@`)),
  )
  const client = await openClient(target, ROLES.interactive)
  const trouble = await storeTroubleOf(client.send([{ sql: 'select nonsense', params: [] }]))
  expect(deep(client.client)).not.toContain('s3cret')
  expect(deep(trouble)).not.toContain('s3cret')
  await client.end()
})

test('words of the server are cleaned of the password', async () => {
  const target = makeTarget(
    await targetOf(url.replace('app@', `app:${encodeURIComponent(PASSWORD)}@`)),
  )
  const client = await openClient(target, ROLES.interactive)
  // A server may say back whatever it was told.
  const sent = client.send([{ sql: `select '${PASSWORD}'::int`, params: [] }])
  const { trouble } = await storeTroubleOf(sent)
  expect(trouble).toMatchObject({ kind: 'incompatible', code: '22P02' })
  expect(trouble.detail).toContain('‹hidden›')
  expect(deep(trouble)).not.toContain('s3cret')
  await client.end()
})

test('a person is asked when the server asks, once for all connections', async () => {
  const questions: unknown[] = []
  const credentials = {
    ask: async (question: unknown) => {
      questions.push(question)
      return new Secret(PASSWORD)
    },
  }
  const gate = await openGate(await targetOf(url, { password: { from: 'ask' }, credentials }))
  await gate.background.query({ sql: 'select 1', params: [] })
  expect(questions).toStrictEqual([{ purpose: 'password', connection: url }])
  await gate.close()
})

test('a server that wants no password has nobody asked', async () => {
  const ask = () => Promise.reject(new Error('asked'))
  const given = { password: { from: 'ask' } as const, credentials: { ask } }
  const gate = await openGate(await targetOf(server.connectionString, given))
  expect(gate.state().status).toBe('connected')
  await gate.close()
})

test('a closed question is a missing password', async () => {
  const given = { password: { from: 'ask' } as const, credentials: { ask: async () => null } }
  expect(await troubleOf(openGate(await targetOf(url, given)))).toMatchObject({
    kind: 'password-missing',
  })
})

test('PGPASSWORD, then the password file', async () => {
  const fromVariable = emptyMachine({ PGPASSWORD: PASSWORD })
  await opensAndCloses(await targetOf(url, { machine: fromVariable }))
  const fromFile = emptyMachine()
  const path = join(fromFile.home, '.pgpass')
  writeFileSync(path, `127.0.0.1:*:postgres:app:${PASSWORD.replaceAll(':', '\\:')}\n`, {
    mode: 0o600,
  })
  await opensAndCloses(await targetOf(url, { machine: fromFile }))
  chmodSync(path, 0o644)
  expect(await troubleOf(openGate(await targetOf(url, { machine: fromFile })))).toMatchObject({
    kind: 'password-missing',
    code: 'open-to-others',
    detail: path,
  })
})

test('a command gives the password, by arguments nobody splits', async () => {
  const command = script('test "$1" = "one word; exit 7" || exit 8\ncat "$2"\necho rest')
  const file = join(emptyMachine().home, 'kept')
  writeFileSync(file, `${PASSWORD}\r\n`)
  const password = { from: 'command', argv: [command, 'one word; exit 7', file] } as const
  const gate = await openGate(await targetOf(url, { password }))
  expect(gate.state().status).toBe('connected')
  await gate.close()
})

test('a password that was good for a while is fetched again', async () => {
  const file = join(emptyMachine().home, 'kept')
  writeFileSync(file, PASSWORD)
  const password = { from: 'command', argv: ['cat', file] } as const
  const gate = await openGate(await targetOf(url, { password }))
  await administer(server.connectionString, `alter role app password 'renewed'`)
  writeFileSync(file, 'renewed')
  try {
    const rows = await gate.background.query({ sql: 'select 1 as one', params: [] })
    expect(rows).toStrictEqual([{ one: 1 }])
  } finally {
    await administer(server.connectionString, `alter role app password '${PASSWORD}'`)
    await gate.close()
  }
})

test.each([
  [
    ['sh', '-c', 'echo half-s3cret; echo "cannot use half-s3cret" >&2; exit 3'],
    'exit 3',
    'cannot use ‹hidden›',
  ],
  [['sh', '-c', 'echo; echo second'], 'empty', null],
  [['/nowhere/at/all'], 'ENOENT', null],
  [[], 'no-command', null],
])('the command %j fails with %s', async (argv, code, detail) => {
  const given = { password: { from: 'command', argv } as const }
  const error = await storeTroubleOf(openGate(await targetOf(url, given)))
  expect(error.trouble).toMatchObject({ kind: 'secret-unavailable', code })
  expect(error.trouble.detail ?? null).toBe(detail)
  expect(deep(error)).not.toContain('s3cret')
})

test('a command that does not end is ended', async () => {
  expect(
    await runSecretCommand(['sh', '-c', 'sleep 600 & wait'], { timeoutMs: 200 }),
  ).toStrictEqual({
    outcome: 'failed',
    code: 'timeout',
    detail: null,
  })
})

test('a vault gives what it keeps, and says what it does not', async () => {
  const make = (changes: Partial<SecretVault>): SecretVault => ({
    isAvailable: async () => true,
    read: async (id) => (id === 'mine' ? new Secret(PASSWORD) : null),
    write: () => Promise.reject(new Error('written')),
    remove: () => Promise.reject(new Error('removed')),
    ...changes,
  })
  const open = async (id: string, changes: Partial<SecretVault> = {}) =>
    openGate(
      await targetOf(url, {
        password: { from: 'stored', id },
        credentials: { vault: make(changes) },
      }),
    )
  await (await open('mine')).close()
  expect(await troubleOf(open('other'))).toMatchObject({
    kind: 'password-missing',
    code: 'not-stored',
  })
  expect(await troubleOf(open('mine', { isAvailable: async () => false }))).toMatchObject({
    kind: 'secret-unavailable',
    code: 'no-vault',
  })
  const failing = { read: () => Promise.reject(new Error(`cannot decrypt ${PASSWORD}`)) }
  const error = await storeTroubleOf(open('mine', failing))
  expect(error.trouble).toMatchObject({ kind: 'secret-unavailable' })
  expect(deep(error)).not.toContain('s3cret')
})

test('neither the process list nor the environment of ssh holds the password', async () => {
  const folder = emptyMachine().home
  const seen = join(folder, 'seen')
  writeFileSync(join(folder, 'ssh'), `#!/bin/sh\n(ps -ef; env) > '${seen}'\nexit 1\n`, {
    mode: 0o700,
  })
  const machine = emptyMachine({
    PATH: `${folder}:${process.env['PATH']}`,
    PGPASSWORD: PASSWORD,
  })
  const tunnelled = url.replace('app@', `app:${WRONG}@`)
  expect(
    await troubleOf(openGate(await targetOf(`${tunnelled}?ssh=box`, { machine }))),
  ).toMatchObject({
    kind: 'ssh-failed',
  })
  const list = readFileSync(seen, 'utf8')
  expect(list).toContain('-W 127.0.0.1')
  expect(list).not.toContain('s3cret')
  expect(spawnSync('ps', ['-ef'], { encoding: 'utf8' }).stdout).not.toContain('s3cret')
})
