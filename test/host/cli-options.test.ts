import { expect, test } from 'vitest'

import { findUserFolder, readCliOptions, takenByNpm } from '../../src/host/cli-options.ts'
import { whyNoElectron } from '../../src/host/electron-binary.ts'
import { findOpener, mayOpenBrowser } from '../../src/host/open-in-browser.ts'

test('options may stand anywhere', () => {
  expect(readCliOptions(['--no-open', 'a.db', '--browser', '--no-sandbox'])).toStrictEqual({
    path: 'a.db',
    connection: null,
    isSample: false,
    isBrowser: true,
    isQuiet: true,
    isUnsandboxed: true,
    isHelp: false,
  })
  expect(readCliOptions([])).toMatchObject({ path: null, isBrowser: false, isQuiet: false })
  expect(readCliOptions(['--', '--odd-name.db'])).toMatchObject({ path: '--odd-name.db' })
})

test.for([
  [['--foo'], "Unknown option '--foo'."],
  [['--browser=yes'], "Option '--browser' does not take an argument."],
  [['a.db', 'b.db'], 'One path at a time, not 2.'],
  [['a.db', '--sample'], 'Either a path or --sample, not both.'],
  [[''], 'The path is empty.'],
] as const)('%j is refused with a line that says why', ([args, problem]) => {
  expect(readCliOptions(args)).toStrictEqual({
    problem: expect.stringContaining(problem.slice(0, -1)),
  })
})

test('options that npm took for its own, for want of a --, are ours all the same', () => {
  const npm = { npm_lifecycle_event: 'start', npm_package_json: '/p/package.json' }
  const taken = { npm_config_sample: 'true', npm_config_browser: 'true' }
  expect(takenByNpm({ ...npm, ...taken }, '/p')).toStrictEqual(['--sample', '--browser'])
  const off = { npm_config_open: '', npm_config_sandbox: '' }
  expect(takenByNpm({ ...npm, ...off }, '/p')).toStrictEqual(['--no-open', '--no-sandbox'])
  // npm has a setting of this name: the browser it opens pages with.
  expect(takenByNpm({ ...npm, npm_config_browser: 'firefox' }, '/p')).toStrictEqual([])
  expect(takenByNpm(npm, '/p')).toStrictEqual([])
  expect(takenByNpm({ ...npm, ...taken }, '/another')).toStrictEqual([])
})

test('npm start counts from the folder it was called in, anything else from its own', () => {
  const npm = {
    npm_lifecycle_event: 'start',
    npm_package_json: '/p/package.json',
    INIT_CWD: '/home/me/app',
  }
  expect(findUserFolder(npm, '/p', '/p')).toBe('/home/me/app')
  expect(findUserFolder({ ...npm, npm_lifecycle_event: 'test' }, '/cwd', '/p')).toBe('/cwd')
  expect(findUserFolder({ ...npm, npm_package_json: '/q/package.json' }, '/cwd', '/p')).toBe('/cwd')
  expect(findUserFolder({}, '/cwd', '/p')).toBe('/cwd')
})

const linux = {
  platform: 'linux',
  isRoot: false,
  env: { DISPLAY: ':0' } as Record<string, string>,
  isUnsandboxed: false,
}

test('Electron is tried wherever it may work', () => {
  expect(whyNoElectron(linux)).toBeUndefined()
  expect(whyNoElectron({ ...linux, env: { WAYLAND_DISPLAY: 'wayland-0' } })).toBeUndefined()
  expect(whyNoElectron({ ...linux, isRoot: true, isUnsandboxed: true })).toBeUndefined()
  const env = { DISPLAY: ':0', ELECTRON_DISABLE_SANDBOX: '1' }
  expect(whyNoElectron({ ...linux, isRoot: true, env })).toBeUndefined()
  for (const platform of ['darwin', 'win32']) {
    expect(whyNoElectron({ ...linux, platform, env: {}, isRoot: true })).toBeUndefined()
  }
})

test('where it cannot work, the reason is said', () => {
  for (const env of [{}, { DISPLAY: '' }]) {
    expect(whyNoElectron({ ...linux, env })).toBe('There is no display')
  }
  expect(whyNoElectron({ ...linux, isRoot: true })).toBe(
    'Electron does not run as root without --no-sandbox',
  )
})

test('a browser is opened only where there is one to be seen, and never unasked in CI', () => {
  expect(findOpener('darwin', {})?.command).toBe('open')
  expect(findOpener('win32', {})?.command).toBe('rundll32')
  expect(findOpener('linux', { DISPLAY: ':0' })?.command).toBe('xdg-open')
  expect(findOpener('linux', {})).toBeNull()
  expect(mayOpenBrowser({})).toBe(true)
  expect(mayOpenBrowser({ A2_NO_OPEN: '0' })).toBe(true)
  expect(mayOpenBrowser({ A2_NO_OPEN: '1' })).toBe(false)
  expect(mayOpenBrowser({ CI: 'true' })).toBe(false)
})

test.each([
  ['postgres://me@db/x', true],
  ['postgresql:///x', true],
  ['host=db dbname=x', true],
  ['service=staging', true],
  ['postgres.db', false],
  ['./host=db', false],
])('%s names a server: %s', (word, isServer) => {
  expect(readCliOptions([word])).toMatchObject(
    isServer ? { path: null, connection: word } : { path: word, connection: null },
  )
})
