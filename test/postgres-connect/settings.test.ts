import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

import { findInPgpass, passfilePath } from '../../src/store/postgres/connect/pgpass.ts'
import { resolveSettings } from '../../src/store/postgres/connect/resolve-settings.ts'
import { emptyMachine } from './support/connect.ts'

const KEY = { host: 'db', port: 5432, database: 'app', user: 'me' }

function passfile(text: string, mode = 0o600): string {
  const path = join(emptyMachine().home, 'pass')
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

async function passwordIn(text: string, key = KEY): Promise<string | null> {
  const answer = await findInPgpass(passfile(text), key)
  return answer.outcome === 'found' ? answer.secret.reveal() : null
}

async function resolved(text: string, machine = emptyMachine()) {
  const answer = await resolveSettings({ text }, machine)
  if (!answer.ok) throw new Error(`${answer.problem.code} ${answer.problem.subject}`)
  return answer
}

test.each([
  ['db:5432:app:me:first\ndb:5432:app:me:second\n', 'first'],
  ['# db:5432:app:me:no\nother:5432:app:me:no\n*:*:*:*:any', 'any'],
  ['db:5433:app:me:no', null],
  ['db:5432:App:me:no', null],
  ['db:5432:app:me:', null],
  ['db:5432:app:me', null],
  [String.raw`db:5432:app:me:a\:b\\c`, String.raw`a:b\c`],
  ['db:5432:app:me:with:colons ', 'with:colons '],
  ['db:5432:app:me:windows\r\n', 'windows'],
])('the password file %j gives %j', async (text, expected) => {
  expect(await passwordIn(text)).toBe(expected)
})

test('fields of the password file may hold escaped colons and backslashes', async () => {
  const key = { ...KEY, host: '::1', user: String.raw`a\b` }
  expect(await passwordIn(String.raw`\:\:1:*:*:a\\b:x`, key)).toBe('x')
  expect(await passwordIn(String.raw`\*:*:*:*:x`)).toBe(null)
})

test('a default socket folder is looked up as localhost, another one as itself', async () => {
  const text = 'localhost:*:*:*:local\n/srv/pg:*:*:*:own'
  expect(await passwordIn(text, { ...KEY, host: '/var/run/postgresql' })).toBe('local')
  expect(await passwordIn(text, { ...KEY, host: '/srv/pg' })).toBe('own')
})

test('a password file that others may read is left unread', async () => {
  const path = passfile('*:*:*:*:x', 0o640)
  expect(await findInPgpass(path, KEY)).toStrictEqual({
    outcome: 'ignored',
    path,
    why: 'open-to-others',
  })
  const folder = emptyMachine().home
  expect(await findInPgpass(folder, KEY)).toMatchObject({ outcome: 'ignored', why: 'not-a-file' })
  expect(await findInPgpass(join(folder, 'absent'), KEY)).toStrictEqual({ outcome: 'none' })
})

test('where the password file is', () => {
  const machine = emptyMachine()
  expect(passfilePath(machine, null)).toBe(join(machine.home, '.pgpass'))
  expect(passfilePath(emptyMachine({ PGPASSFILE: '/p' }), null)).toBe('/p')
  expect(passfilePath(emptyMachine({ PGPASSFILE: '/p' }), '/q')).toBe('/q')
})

test('what was given wins over the service, the service over the environment', async () => {
  const machine = emptyMachine({
    PGHOST: 'env',
    PGPORT: '1',
    PGDATABASE: 'env',
    PGUSER: 'env',
    PGSSLMODE: 'require',
    PGSERVICE: 'two',
    PGAPPNAME: 'ignored',
  })
  const text = [
    '# comment',
    '[one]',
    'host=wrong',
    '[two]',
    'host=service',
    'port=2',
    'dbname=service',
    'password=from service',
    '',
    '[three]',
    'user=wrong',
  ]
  writeFileSync(join(machine.home, '.pg_service.conf'), text.join('\n'))
  const answer = await resolved('postgres://given', machine)
  expect(answer.settings).toMatchObject({
    host: 'given',
    port: 2,
    database: 'service',
    user: 'env',
    tls: { mode: 'require' },
  })
  expect(answer.password?.reveal()).toBe('from service')
  expect(JSON.stringify(answer)).not.toContain('from service')
  const named = await resolved('service=one', machine)
  expect(named.settings).toMatchObject({ host: 'wrong', port: 1, database: 'env' })
})

test('PGSERVICEFILE, then the shared file', async () => {
  const { home } = emptyMachine()
  writeFileSync(join(home, 'own.conf'), '[a]\nhost=own\n')
  writeFileSync(join(home, 'pg_service.conf'), '[a]\nhost=shared\n[b]\nhost=shared\n')
  const machine = emptyMachine({ PGSERVICEFILE: join(home, 'own.conf'), PGSYSCONFDIR: home })
  expect((await resolved('service=a', machine)).settings.host).toBe('own')
  expect((await resolved('service=b', machine)).settings.host).toBe('shared')
  expect(await resolveSettings({ text: 'service=c' }, machine)).toMatchObject({
    problem: { code: 'unknown-service' },
  })
  writeFileSync(join(home, 'own.conf'), '[a]\nldap://somewhere\n')
  expect(await resolveSettings({ text: 'service=a' }, machine)).toMatchObject({
    problem: { code: 'service-file', subject: join(home, 'own.conf') },
  })
})

test('certificates in the usual folder are used, as libpq does', async () => {
  const machine = emptyMachine()
  const folder = join(machine.home, '.postgresql')
  mkdirSync(folder)
  for (const name of ['root.crt', 'postgresql.crt', 'postgresql.key'])
    writeFileSync(join(folder, name), '')
  expect((await resolved('postgres://h', machine)).settings.tls).toStrictEqual({
    mode: 'prefer',
    rootCert: join(folder, 'root.crt'),
    cert: join(folder, 'postgresql.crt'),
    key: join(folder, 'postgresql.key'),
  })
  const explicit = await resolved('postgres://h?sslrootcert=/ca', machine)
  expect(explicit.settings.tls.rootCert).toBe('/ca')
})

test('the fields of a form are read like a text', async () => {
  const keywords = new Map([
    ['host', 'h'],
    ['port', ''],
    ['password', 'x'],
  ])
  const answer = await resolveSettings({ keywords }, emptyMachine())
  expect(answer).toMatchObject({ ok: true, settings: { host: 'h', port: 5432, user: 'nobody' } })
  expect(answer.ok && answer.password?.reveal()).toBe('x')
})

test('demands of the environment that cannot be met are refused too', async () => {
  const answer = await resolveSettings(
    { text: 'postgres://h' },
    emptyMachine({ PGCHANNELBINDING: 'require' }),
  )
  expect(answer).toStrictEqual({
    ok: false,
    problem: { code: 'unsupported', subject: 'channel_binding' },
  })
})
