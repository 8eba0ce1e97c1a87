import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { projectFolder, startCli } from '../host/start-cli.ts'
import { makeTempFolder } from '../host/temp-folder.ts'
import { type GuardedServer, startGuardedServer } from './support/guarded-server.ts'
import { visit } from './support/visitor.ts'

let server: GuardedServer
beforeAll(async () => {
  server = await startGuardedServer()
})
afterAll(() => server.stop())

/** The processes of this machine whose arguments or environment hold the text, in plain or as in a URL. */
function whoShows(text: string): string[] {
  const texts = [text, encodeURIComponent(text)]
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => ['cmdline', 'environ'].map((file) => join('/proc', pid, file)))
    .filter((path) => texts.some((one) => readOrNothing(path).includes(one)))
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It ended meanwhile, or is another user's.
    return ''
  }
}

/** Every file below a folder, as one text. */
function contentOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

test.runIf(process.platform === 'linux')(
  'a password on the command line opens the server and is nowhere to be seen',
  async () => {
    const { until, child, ended, dataFolder } = startCli({
      args: ['--browser', server.url(server.password)],
    })
    const printed = await until(/Ctrl-C ends it\./)
    const url = /http:\S+/.exec(printed)?.[0] ?? ''
    const databaseId = /\/d\/([\w-]+)/.exec(url)?.[1] ?? ''
    const { host, database, answers } = visit(url)
    const opened = await host.connections.open({ databaseId })
    expect(opened.path).toBe(`postgres://app@127.0.0.1:${server.port}/postgres`)
    const client = database(databaseId)
    expect(await client.facts()).toMatchObject({ user: 'app' })
    expect(await client.writing.unlock()).toMatchObject({ isUnlocked: true })
    const clear = { sessionId: 's', ifLastIndex: 1, createClearsTable: false }
    expect(await client.actions.clear(clear)).toMatchObject({ outcome: 'done' })
    expect(await host.connections.list()).toHaveLength(1)
    expect(whoShows(server.password)).toStrictEqual([])
    child.kill('SIGTERM')
    const { output } = await ended
    for (const text of [output, answers(), contentOf(dataFolder)]) {
      expect(text).not.toContain(server.password)
      expect(text).not.toContain(encodeURIComponent(server.password))
    }
    expect(contentOf(dataFolder)).toContain('"clear"')
  },
)

test.runIf(process.platform === 'linux')(
  'a crash with an open server prints no password',
  async () => {
    // Whatever is thrown where nobody catches it, with what the program has in its hands.
    const crash = join(makeTempFolder(), 'crash.mjs')
    writeFileSync(
      crash,
      `process.on('SIGUSR2', () => { throw new Error('a crash of the test') })\n`,
    )
    const { until, child, ended, dataFolder } = startCli({
      args: ['--browser', server.url(server.password)],
      env: { NODE_OPTIONS: `--import=${crash}` },
    })
    const printed = await until(/Ctrl-C ends it\./)
    const url = /http:\S+/.exec(printed)?.[0] ?? ''
    const databaseId = /\/d\/([\w-]+)/.exec(url)?.[1] ?? ''
    const { host, database } = visit(url)
    await host.connections.open({ databaseId })
    expect(await database(databaseId).facts()).toMatchObject({ user: 'app' })
    child.kill('SIGUSR2')
    const { code, output } = await ended
    expect(code).not.toBe(0)
    expect(output).toContain('a crash of the test')
    for (const text of [output, contentOf(dataFolder)]) {
      expect(text).not.toContain(server.password)
      expect(text).not.toContain(encodeURIComponent(server.password))
    }
  },
)

test('a text that cannot be read as a connection is explained without being repeated', async () => {
  const { code, output } = await startCli({
    args: ['--browser', 'postgres://u:hunter2@x:hunter2@host/db'],
  }).ended
  expect(code).toBe(2)
  expect(output).toContain('In a password write %40 for @')
  expect(output).not.toContain('hunter2')
})

test('the window gets the connection by message, not by argument', async () => {
  const folder = makeTempFolder()
  // A program in Electron's place that says what it was given.
  writeFileSync(
    join(folder, 'electron'),
    `#!${process.execPath}
process.on('message', ({ connection }) => {
  console.log('GOT', Buffer.from(connection).toString('base64'), JSON.stringify(process.argv.slice(2)))
  process.send('started')
  process.disconnect()
})
process.send('awaiting-connection')
`,
  )
  chmodSync(join(folder, 'electron'), 0o755)
  const { ended } = startCli({
    args: [server.url(server.password)],
    env: { DISPLAY: ':77', ELECTRON_DISABLE_SANDBOX: '1', ELECTRON_OVERRIDE_DIST_PATH: folder },
  })
  const { output } = await ended
  const sent = Buffer.from(server.url(server.password)).toString('base64')
  expect(output).toContain(`GOT ${sent} ${JSON.stringify([projectFolder, '--connection-follows'])}`)
  expect(output).not.toContain(server.password)
})
