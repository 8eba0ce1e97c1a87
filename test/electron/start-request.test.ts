import { expect, test } from 'vitest'

import { databaseIdOf, isOurs, screenUrl } from '../../electron/app-address.ts'
import { readStartRequest, toStartRequest } from '../../electron/start-request.ts'

test.for([
  [['electron', '/app'], true, { isSample: false, path: null, connection: null }],
  [
    ['electron', '/app', '/x/dev.db'],
    true,
    { isSample: false, path: '/x/dev.db', connection: null },
  ],
  [
    ['electron', '--no-sandbox', '/app', 'dev.db'],
    true,
    { isSample: false, path: '/nowhere/dev.db', connection: null },
  ],
  [
    ['electron', '/app', '../dev.db', '--inspect=0'],
    true,
    { isSample: false, path: '/dev.db', connection: null },
  ],
  [['electron', '/app', '~/dev.db'], true, { isSample: false, path: '~/dev.db', connection: null }],
  [['electron', '/app', '--sample'], true, { isSample: true, path: null, connection: null }],
  [
    ['/opt/a2-inspector', 'postgres://me@db/x'],
    false,
    { isSample: false, path: null, connection: 'postgres://me@db/x' },
  ],
  [['/opt/a2-inspector'], false, { isSample: false, path: null, connection: null }],
  [
    ['/opt/a2-inspector', '/x/dev.db'],
    false,
    { isSample: false, path: '/x/dev.db', connection: null },
  ],
] as const)('%j asks for what it says', ([argv, hasAppFolder, request]) => {
  expect(readStartRequest({ argv, hasAppFolder, cwd: '/nowhere' })).toStrictEqual(request)
})

test('a request of another instance is believed only in its own shape', () => {
  const request = { isSample: false, path: '/x/dev.db', connection: null }
  expect(toStartRequest(structuredClone(request))).toStrictEqual(request)
  for (const data of [undefined, null, 'x', {}, { path: '/x' }, { isSample: false, path: 7 }]) {
    expect(toStartRequest(data)).toBeUndefined()
  }
})

test('an address names its database', () => {
  expect(databaseIdOf(screenUrl('vW2juFmK0ZlLE6mgaQLHpK'))).toBe('vW2juFmK0ZlLE6mgaQLHpK')
  expect(databaseIdOf('app://inspector/d/abc-_1/sessions?s=%2Fd%2Fother')).toBe('abc-_1')
  expect(databaseIdOf(screenUrl(null))).toBeNull()
})

test.for([
  'https://inspector/d/abc',
  'app://inspector.evil/d/abc',
  'app://other/d/abc',
  'app:inspector',
  'file:///inspector/d/abc',
  'data:text/html,app://inspector/',
  'not an address',
  '',
])('%s is not ours', (url) => {
  expect(isOurs(url)).toBe(false)
  expect(databaseIdOf(url)).toBeNull()
})
