import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { toConnectionSettings } from './connection-settings.ts'
import { parseConnectionText } from './connection-text.ts'
import type { ConnectionSettings } from './connection.ts'
import { describeSettingsProblem } from './describe-settings-problem.ts'
import { describeConnection, printConnection } from './print-connection.ts'
import { redact, Secret } from './secret.ts'

const DEFAULTS = { user: 'me', host: 'localhost', rootCert: null, cert: null, key: null }

function parse(text: string) {
  const parsed = parseConnectionText(text)
  if (!parsed.ok) throw new Error(parsed.problem.code)
  return { ...parsed, pairs: Object.fromEntries(parsed.keywords) }
}

function settingsOf(text: string): ConnectionSettings {
  const result = toConnectionSettings(parse(text).keywords, DEFAULTS)
  if (!result.ok) throw new Error(result.problem.code)
  return result.settings
}

function problemOf(text: string): string {
  const parsed = parseConnectionText(text)
  if (!parsed.ok) return parsed.problem.code
  const result = toConnectionSettings(parsed.keywords, DEFAULTS)
  return result.ok ? 'none' : result.problem.code
}

test.each([
  ['postgres://', {}],
  ['postgresql://localhost', { host: 'localhost' }],
  ['postgresql://localhost:5433', { host: 'localhost', port: '5433' }],
  ['postgresql://localhost/mydb', { host: 'localhost', dbname: 'mydb' }],
  ['postgresql://user@localhost', { user: 'user', host: 'localhost' }],
  ['postgres://[2001:db8::1234]:6000/d', { host: '2001:db8::1234', port: '6000', dbname: 'd' }],
  [
    'postgresql:///mydb?host=localhost&port=5433',
    { dbname: 'mydb', host: 'localhost', port: '5433' },
  ],
  [
    'postgresql://%2Fvar%2Flib%2Fpostgresql/dbname',
    { host: '/var/lib/postgresql', dbname: 'dbname' },
  ],
  ['postgres://h/d?ssl=true', { host: 'h', dbname: 'd', sslmode: 'require' }],
  ['postgres://h/d?currentSchema=s', { host: 'h', dbname: 'd', schema: 's' }],
  ["host=h dbname = 'my db' user='o\\'x'", { host: 'h', dbname: 'my db', user: "o'x" }],
  ['host=a\\ b port=1', { host: 'a b', port: '1' }],
  ["host='' port=1 ", { port: '1' }],
])('%s', (text, expected) => {
  expect(parse(text).pairs).toStrictEqual(expected)
})

test.each([
  'postgres://u:s3cr%20t@h/d',
  'postgres://h/d?user=u&password=s3cr%20t',
  "host=h user=u dbname=d password='s3cr t'",
])('the password of %s is taken out', (text) => {
  const parsed = parse(text)
  expect(parsed.password?.reveal()).toBe('s3cr t')
  expect(parsed.pairs).toStrictEqual({ host: 'h', dbname: 'd', user: 'u' })
  expect(JSON.stringify(parsed)).not.toContain('s3cr')
})

test('the passphrase of a key is a secret too', () => {
  const parsed = parse('postgres://h/d?sslkey=/k&sslpassword=geheim')
  expect(parsed.keyPassphrase?.reveal()).toBe('geheim')
  expect(parsed.pairs).toStrictEqual({ host: 'h', dbname: 'd', sslkey: '/k' })
})

test.each([
  ['postgres://u:p@ss@host/db', 'host'],
  ['postgres://u:p/ss@host/db', 'host'],
  ['postgres://u:12/ss@host/db', 'host'],
  ['postgres://u:pa:ss@host:x/db', 'port'],
  ['postgres://u:p%ss@host/db', 'percent-encoding'],
  ['postgres://u@a,b/db', 'several-hosts'],
  ['host=a,b', 'several-hosts'],
  ['postgres://[nonsense]/db', 'host'],
  ['postgres://h:0/db', 'port'],
  ['postgres://h:65536/db', 'port'],
  ['postgres://h/db?sslmode=on', 'tls-mode'],
  ['postgres://h/db?sslrootcert=system&sslmode=require', 'weak-tls-mode'],
  ['postgres://h/db?channel_binding=require', 'unsupported'],
  ['postgres://h/db?sslcrl=/x', 'unsupported'],
  ['postgres://h/db?ssh=-oProxyCommand=x', 'ssh-host'],
  ['postgres:///db?host=/tmp&ssh=box', 'unsupported'],
  ["host='open", 'syntax'],
  ['./dev.db', 'syntax'],
])('%s is refused: %s', (text, code) => {
  expect(problemOf(text)).toBe(code)
})

test('a problem is told without what was typed', () => {
  const text = 'postgres://u:hunter2@x:hunter2@host/db'
  const parsed = parseConnectionText(text)
  expect(parsed.ok).toBe(false)
  if (parsed.ok) return
  expect(JSON.stringify(parsed) + describeSettingsProblem(parsed.problem)).not.toContain('hunter2')
})

test('what was not given is filled in', () => {
  expect(settingsOf('postgres://')).toMatchObject({
    host: 'localhost',
    port: 5432,
    user: 'me',
    database: 'me',
    schema: null,
    tls: { mode: 'prefer', rootCert: null },
    environment: 'local',
  })
  expect(settingsOf('user=app')).toMatchObject({ user: 'app', database: 'app' })
  expect(settingsOf('hostaddr=10.0.0.1 host=db')).toMatchObject({
    host: 'db',
    hostAddress: '10.0.0.1',
  })
  expect(settingsOf('sslrootcert=system').tls.mode).toBe('verify-full')
  expect(settingsOf('sslmode=allow').tls.mode).toBe('prefer')
})

test.each([
  ["options='-csearch_path=App'", 'app'],
  ['options=\'-c statement_timeout=1 -c search_path="My\\\\ App",public\'', 'My App'],
  ["options='--search_path=x'", 'x'],
  ["options='-c statement_timeout=1'", null],
])('the schema in %s is %s', (text, schema) => {
  expect(settingsOf(text).schema).toBe(schema)
})

test.each([
  ['postgres://localhost', 'local'],
  ['postgres://127.0.0.1', 'local'],
  ['postgres://[::1]', 'local'],
  ['host=/var/run/postgresql', 'local'],
  ['postgres://localhost?ssh=box', 'production'],
  ['postgres://db.example', 'production'],
])('%s is taken for %s', (text, environment) => {
  expect(settingsOf(text).environment).toBe(environment)
})

test('parameters that change nothing are named', () => {
  const { keywords } = parse('postgres://h/d?connect_timeout=5&application_name=x&sslmode=require')
  expect(toConnectionSettings(keywords, DEFAULTS)).toMatchObject({
    ok: true,
    ignored: ['connect_timeout', 'application_name'],
  })
})

const name = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !text.includes('\0'))
const host = fc.oneof(
  fc.domain(),
  fc.ipV4(),
  fc.constantFrom('::1', '2001:db8::1', '/var/run/postgresql', '/tmp/a b'),
)
const optional = fc.option(name, { nil: null })

test('what is printed reads back as the same', () => {
  const settings = fc.record({ host, user: name, database: name, schema: optional, cert: optional })
  fc.assert(
    fc.property(settings, fc.integer({ min: 1, max: 65_535 }), (given, port) => {
      const { cert, ...rest } = given
      const tls = { mode: 'verify-ca' as const, rootCert: '/ca.pem', cert, key: null }
      const whole = { ...settingsOf('postgres://'), ...rest, port, tls }
      const { environment: _, ...back } = settingsOf(printConnection(whole))
      expect(whole).toMatchObject(back)
    }),
  )
})

test('a connection is named in few words', () => {
  const settings = settingsOf('postgres://app@[::1]:6000/my%20db?sslcert=/c&ssh=me@box')
  expect(describeConnection(settings)).toBe('postgres://app@[::1]:6000/my%20db through me@box')
})

test('a secret shows itself to reveal alone', () => {
  const secret = new Secret('hunter2')
  expect(String(secret)).toBe('‹hidden›')
  expect(JSON.stringify({ secret })).toBe('{"secret":"‹hidden›"}')
  expect(Object.values(secret)).toStrictEqual([])
  expect(secret.reveal()).toBe('hunter2')
  expect(redact('is hunter2 or p%40ss?', [secret, null, new Secret('p@ss')])).toBe(
    'is ‹hidden› or ‹hidden›?',
  )
})
