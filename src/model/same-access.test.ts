import { expect, test } from 'vitest'

import type { ConnectionSettings } from './connection.ts'
import { isSameAccess } from './same-access.ts'

const ONE: ConnectionSettings = {
  host: 'db.example',
  hostAddress: null,
  port: 5432,
  database: 'orders',
  user: 'app',
  schema: null,
  tls: { mode: 'verify-full', rootCert: 'ca.pem', cert: null, key: null },
  sshHost: null,
  environment: 'local',
  password: { from: 'ask' },
  keyPassphrase: { from: 'ask' },
}
const { tls } = ONE

test.each<Partial<ConnectionSettings>>([
  {},
  { database: 'other' },
  { schema: 'a2' },
  { environment: 'production' },
  { password: { from: 'stored', id: 'x' }, keyPassphrase: { from: 'stored', id: 'y' } },
  { tls: { key: null, cert: null, rootCert: 'ca.pem', mode: 'verify-full' } },
])('a password stays with the same user of the same server: %o', (change) => {
  expect(isSameAccess(ONE, { ...ONE, ...change })).toBe(true)
})

test.each<Partial<ConnectionSettings>>([
  { host: 'other.example' },
  { hostAddress: '192.0.2.1' },
  { port: 5433 },
  { user: 'admin' },
  { sshHost: 'jump' },
  { tls: { ...tls, mode: 'prefer' } },
  { tls: { ...tls, rootCert: 'other.pem' } },
  { tls: { ...tls, cert: 'me.pem' } },
  { tls: { ...tls, key: 'me.key' } },
])('it goes to no other, and on no less guarded way: %o', (change) => {
  expect(isSameAccess(ONE, { ...ONE, ...change })).toBe(false)
})
