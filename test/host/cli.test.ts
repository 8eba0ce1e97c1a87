import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'

import { findElectron } from '../../src/host/electron-binary.ts'
import { runElectron } from '../../src/host/run-electron.ts'
import { openConnections } from '../../src/inspector/connections.ts'
import { backgroundsOf, isRunning } from './children.ts'
import { projectFolder, startCli } from './start-cli.ts'
import { makeTempFolder } from './temp-folder.ts'

// Each starts a program; how long that takes is the machine's business.
vi.setConfig({ testTimeout: 60_000 })

const fixture = join(projectFolder, 'test', 'fixtures', 'small.db')

/** The screen of the printed address. */
function screenOf(output: string): string {
  return new URL(/http:\S+/.exec(output)?.[0] ?? '').pathname
}

function screenFor(dataFolder: string, path: string): string {
  const { databaseId } = openConnections({ dataFolder, startFolder: '/' }).open(path)
  return `/d/${databaseId}`
}

function makeApp(): { readonly database: string; readonly inner: string } {
  const root = makeTempFolder()
  const database = join(root, 'app', '.a2', 'dev.db')
  const inner = join(root, 'app', 'src', 'deep')
  mkdirSync(join(root, 'app', '.a2'), { recursive: true })
  mkdirSync(inner, { recursive: true })
  copyFileSync(fixture, database)
  return { database, inner }
}

/** A program in Electron's place. */
function makeElectron(script: string): string {
  const folder = makeTempFolder()
  writeFileSync(join(folder, 'electron'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, 'electron'), 0o755)
  return folder
}
async function firstLine(env: Readonly<Record<string, string>>): Promise<string | undefined> {
  const { until } = startCli({ args: [makeApp().database], env })
  const output = await until(/Ctrl-C ends it\./)
  expect(output.split('\n')[1]).toMatch(/^A2 Inspector is at http:/)
  return output.split('\n')[0]
}

function makePackage(install: string): string {
  const folder = makeTempFolder()
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}')
  writeFileSync(join(folder, 'install.js'), install)
  return folder
}
/** A display and a sandbox, as far as anybody can tell beforehand. */
const display = { DISPLAY: ':77', ELECTRON_DISABLE_SANDBOX: '1' }

test('--help prints the usage and ends well', async () => {
  const { code, output } = await startCli({ args: ['--help'] }).ended
  expect(code).toBe(0)
  expect(output).toMatch(/^Usage: npm start -- \[path or connection\] \[options\]\n/)
  for (const option of ['--sample', '--browser', '--no-open', '--no-sandbox']) {
    expect(output).toContain(option)
  }
})

test('an unknown option ends with 2, a line that names it, and the usage', async () => {
  const { code, output } = await startCli({ args: ['--brwoser'] }).ended
  expect(code).toBe(2)
  expect(output).toMatch(/^Unknown option '--brwoser'\.\n\nUsage:/)
})

describe('browser mode', () => {
  test('prints the address of the database, serves it, and ends cleanly', async () => {
    const { database } = makeApp()
    const { child, dataFolder, until, ended } = startCli({ args: ['--browser', database] })
    const output = await until(/Ctrl-C ends it\./)
    expect(screenOf(output)).toBe(screenFor(dataFolder, database))
    const url = /http:\S+/.exec(output)?.[0] ?? ''
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(303)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0 })
  })

  test('Ctrl-C ends it cleanly too', async () => {
    const { child, until, ended } = startCli({
      args: ['--browser', '--no-open', makeApp().database],
    })
    await until(/Ctrl-C ends it\./)
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 0 })
  })

  test('killed, it leaves no process behind', async () => {
    const { child, until, ended } = startCli({ args: ['--browser', makeApp().database] })
    const url = new URL(/http:\S+/.exec(await until(/Ctrl-C ends it\./))?.[0] ?? '')
    const cookie = (await fetch(url, { redirect: 'manual' })).headers.get('set-cookie') ?? ''
    const [, databaseId] = /\/d\/([\w-]+)/.exec(url.pathname) ?? []
    const call = `${url.origin}/rpc/db/${databaseId}/facts`
    const headers = { cookie, origin: url.origin, 'content-type': 'application/json' }
    expect((await fetch(call, { method: 'POST', headers, body: '{}' })).status).toBe(200)
    const [background = 0] = await vi.waitFor(() => {
      const found = backgroundsOf(child.pid ?? 0)
      expect(found).toHaveLength(1)
      return found
    }, 10_000)
    child.kill('SIGKILL')
    await ended
    await vi.waitFor(() => expect(isRunning(background)).toBe(false), 10_000)
  })

  test('a path counts from the current folder; a file that is not there opens its screen', async () => {
    const cwd = makeTempFolder()
    const { dataFolder, until } = startCli({ args: ['--browser', 'sub/x.db'], cwd })
    const output = await until(/Ctrl-C ends it\./)
    expect(screenOf(output)).toBe(screenFor(dataFolder, join(cwd, 'sub', 'x.db')))
    expect(existsSync(join(cwd, 'sub'))).toBe(false)
  })
})

test.for([
  ['seventy', 'A2_PORT is not a port: seventy'],
  ['65536', 'A2_PORT is not a port: 65536'],
])('A2_PORT=%s is refused with a line', async ([port, line]) => {
  const env = { A2_PORT: port ?? '' }
  const { code, output } = await startCli({ args: ['--browser', makeApp().database], env }).ended
  expect({ code, output }).toStrictEqual({ code: 1, output: `${line}\n` })
})

test.for([
  ['service=nowhere', /^There is no service of this name in .*\n$/],
  ['postgres://user@host:port/database', /^The port is not a number from 1 to 65535\..*\n$/],
] as const)('%s cannot be opened: a line says why, and it ends', async ([connection, line]) => {
  const env = { HOME: makeTempFolder() }
  const { code, output } = await startCli({ args: ['--browser', connection], env }).ended
  expect(output).toMatch(line)
  expect(code).toBe(1)
})

test('a port that is taken is said, without a stack', async () => {
  const first = startCli({ args: ['--browser', makeApp().database] })
  const { port } = new URL(/http:\S+/.exec(await first.until(/Ctrl-C ends it\./))?.[0] ?? '')
  const { code, output } = await startCli({ args: ['--browser'], env: { A2_PORT: port } }).ended
  expect({ code, output }).toStrictEqual({
    code: 1,
    output: `Port ${port} cannot be had: EADDRINUSE\n`,
  })
})

describe('without a path', () => {
  test('.a2/dev.db is looked for from the current folder upwards', async () => {
    const { database, inner } = makeApp()
    const { dataFolder, until } = startCli({ args: ['--browser'], cwd: inner })
    const output = await until(/Ctrl-C ends it\./)
    expect(screenOf(output)).toBe(screenFor(dataFolder, database))
  })

  test('under npm start, from the folder npm was called in', async () => {
    const { database, inner } = makeApp()
    const env = {
      npm_lifecycle_event: 'start',
      npm_package_json: join(projectFolder, 'package.json'),
      INIT_CWD: inner,
    }
    const { dataFolder, until } = startCli({ args: ['--browser'], env })
    const output = await until(/Ctrl-C ends it\./)
    expect(screenOf(output)).toBe(screenFor(dataFolder, database))
  })

  test('where there is none, the start screen opens', async () => {
    const { until } = startCli({ args: ['--browser'], cwd: makeTempFolder() })
    expect(screenOf(await until(/Ctrl-C ends it\./))).toBe('/')
  })
})

describe.runIf(process.platform === 'linux')('where Electron cannot run, one line says why', () => {
  test('no display', async () => {
    expect(await firstLine({})).toBe('There is no display: continuing in the browser.')
  })

  test('no binary where one was said to be', async () => {
    const folder = makeTempFolder()
    expect(await firstLine({ ...display, ELECTRON_OVERRIDE_DIST_PATH: folder })).toBe(
      `There is no Electron in ${folder}: continuing in the browser.`,
    )
  })

  test('it ends at once with a fatal line among others', async () => {
    const folder = makeElectron(
      `echo '[7:1130/090006.319:ERROR:bus.cc(407)] Failed to connect to the bus' >&2
       echo '[7:1130/090006.320:FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox!' >&2
       exit 133`,
    )
    expect(await firstLine({ ...display, ELECTRON_OVERRIDE_DIST_PATH: folder })).toBe(
      'Electron ended at once (No usable sandbox!): continuing in the browser.',
    )
  })

  test('a library is missing', async () => {
    const folder = makeElectron(
      `echo 'electron: error while loading shared libraries: libnss3.so: cannot open shared object file' >&2
       exit 127`,
    )
    expect(await firstLine({ ...display, ELECTRON_OVERRIDE_DIST_PATH: folder })).toContain(
      'libnss3.so',
    )
  })

  test('it dies without a word', async () => {
    const folder = makeElectron('kill -SEGV $$')
    expect(await firstLine({ ...display, ELECTRON_OVERRIDE_DIST_PATH: folder })).toBe(
      'Electron ended at once (SIGSEGV): continuing in the browser.',
    )
  })

  test('it is not executable', async () => {
    const folder = makeElectron('exit 0')
    chmodSync(join(folder, 'electron'), 0o644)
    expect(await firstLine({ ...display, ELECTRON_OVERRIDE_DIST_PATH: folder })).toContain(
      'Electron cannot be run',
    )
  })

  test('it shows no window within the time it has', async () => {
    const binary = join(makeElectron('exec sleep 600'), 'electron')
    expect(
      await runElectron({ connection: null, binary, args: [], cwd: '/', startMs: 200 }),
    ).toStrictEqual({
      kind: 'failed',
      reason: 'Electron showed no window within 0 seconds',
    })
  })

  test('a window that is closed again is no failure, whatever the code', async () => {
    const folder = makeElectron(`printf '"started"\\n' >&"$NODE_CHANNEL_FD"; sleep 0.2; exit 3`)
    const run = {
      connection: null,
      binary: join(folder, 'electron'),
      args: [],
      cwd: '/',
      startMs: 10_000,
    }
    expect(await runElectron(run)).toStrictEqual({ kind: 'ended', code: 3 })
  })
})

describe('the download of Electron', () => {
  const options = { env: {}, downloadMs: 60_000, onDownload: () => undefined }

  test('a failed one is said', async () => {
    const packageFolder = makePackage('process.exit(1)')
    expect(await findElectron({ ...options, packageFolder })).toStrictEqual({
      reason: 'Electron could not be downloaded',
    })
  })

  test('one that does not come to an end is given up', async () => {
    const packageFolder = makePackage('setInterval(() => {}, 1000)')
    expect(await findElectron({ ...options, downloadMs: 200, packageFolder })).toStrictEqual({
      reason: 'Electron was not downloaded within 0 seconds',
    })
  })

  test('a finished one is used, and not done again', async () => {
    const packageFolder = makePackage(`
      const { mkdirSync, writeFileSync } = require('node:fs')
      mkdirSync(__dirname + '/dist')
      writeFileSync(__dirname + '/dist/electron', '')
      writeFileSync(__dirname + '/path.txt', 'electron')`)
    let downloads = 0
    const find = () =>
      findElectron({ ...options, packageFolder, onDownload: () => (downloads += 1) })
    const binary = join(packageFolder, 'dist', 'electron')
    expect(await find()).toStrictEqual({ binary })
    expect(await find()).toStrictEqual({ binary })
    expect(downloads).toBe(1)
  })

  test('no package at all is said', async () => {
    expect(await findElectron({ ...options, packageFolder: undefined })).toStrictEqual({
      reason: 'Electron is not installed',
    })
  })
})
