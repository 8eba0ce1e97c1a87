import { expect, test } from 'vitest'

import type { ConnectionSettings } from './connection.ts'
import { findSettingsProblem } from './connection-settings.ts'

const SENSIBLE: ConnectionSettings = {
  host: 'db.example',
  hostAddress: null,
  port: 5432,
  database: 'app',
  user: 'app',
  schema: null,
  tls: { mode: 'verify-full', rootCert: null, cert: null, key: null },
  sshHost: null,
  environment: 'production',
  password: { from: 'ask' },
  keyPassphrase: { from: 'ask' },
}

/** In a question to a person each of these could hide, or put in another order, what follows it. */
const UNSEEN = [
  '\n',
  '\r',
  '\t',
  '\u001B[8m',
  '\u009B8m',
  '\u202E',
  '\u2066',
  '\u200B',
  '\u2028',
  '\u00A0',
]
const DRAWN_AS_NOTHING = [
  '\u115F',
  '\u3164',
  '\uFFA0',
  '\uFE0F',
  '\u{E0041}',
  '\u00AD',
  '\u2800',
  '\uD800',
]

test('what is plain is sensible', () => {
  expect(findSettingsProblem({ ...SENSIBLE, sshHost: 'me@jump-host.example' })).toBeNull()
  expect(findSettingsProblem({ ...SENSIBLE, host: '2001:db8::1' })).toBeNull()
  expect(findSettingsProblem({ ...SENSIBLE, host: 'bücher.example' })).toBeNull()
  expect(findSettingsProblem({ ...SENSIBLE, host: '/var/run/my postgres' })).toBeNull()
})

test.each([...UNSEEN, ...DRAWN_AS_NOTHING])('no host has the unseen character %j', (unseen) => {
  const host = `::${unseen}1`
  const found = [{ host }, { hostAddress: host }, { sshHost: `jump${unseen}host` }].map((some) =>
    findSettingsProblem({ ...SENSIBLE, ...some }),
  )
  expect(found.map((problem) => problem?.code)).toEqual(['host', 'host', 'ssh-host'])
})
