import { describe, expect, test } from 'vitest'

import {
  describeClock,
  describeTls,
  longPlace,
  printTls,
  shortPlace,
} from '../../renderer/lib/describe-server.ts'
import { formatCountdown } from '../../renderer/lib/format.ts'
import type { NegotiatedTls } from '../../src/model/connection.ts'

const tls: NegotiatedTls = {
  kind: 'tls',
  protocol: 'TLSv1.3',
  cipher: 'TLS_AES_256_GCM_SHA384',
  verified: 'chain-and-host',
  peerSubject: 'O=Shop, CN=db-2.example',
  peerIssuer: 'CN=Authority',
  expiresAt: 0,
  hasClientCertificate: true,
}

describe('encryption', () => {
  test('is what was agreed, with what was checked', () => {
    expect(printTls(tls)).toBe('TLS 1.3 verify-full')
    expect(printTls({ ...tls, verified: 'chain' })).toBe('TLS 1.3 verify-ca')
    expect(printTls({ ...tls, verified: 'none' })).toBe('TLS 1.3 not verified')
    expect(describeTls(tls)).toBe(
      'TLS 1.3 verify-full, certificate of db-2.example, with a client certificate',
    )
  })

  test('that is absent says why', () => {
    expect(printTls({ kind: 'plain', why: 'refused' })).toBe('not encrypted')
    expect(describeTls({ kind: 'plain', why: 'refused' })).toBe('none: the server offers no TLS')
    expect(printTls({ kind: 'plain', why: 'unix-socket' })).toBe('Unix socket')
  })
})

test.each([
  ['postgres://orders@db-2.example:5432/app', 'orders@db-2.example/app'],
  ['postgres://o%40x@[fe80::1]:5432/app%20x through bastion', 'o@x@[fe80::1]/app x'],
  ['postgres://orders@/app', 'orders@app'],
  ['something else', 'something else'],
])('%s is %s in a chip', (path, text) => expect(shortPlace(path)).toBe(text))

test('a list names the port and the database too', () => {
  expect(longPlace('postgres://orders@db-2.example:5432/app%20x through jump')).toBe(
    'orders@db-2.example:5432/app x through jump',
  )
})

test.each([
  [100, '0.1 s ahead of this machine'],
  [-3_240, '3.2 s behind this machine'],
  [12, 'as this machine'],
])('a clock %d ms apart is %s', (ms, text) => expect(describeClock(ms)).toBe(text))

test.each([
  [600_000, '10:00'],
  [521_900, '8:41'],
  [900, '0:00'],
  [-5, '0:00'],
])('%d ms are %s on the countdown', (ms, text) => expect(formatCountdown(ms)).toBe(text))
