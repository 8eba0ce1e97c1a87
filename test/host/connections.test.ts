import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'

import { listNearby, openConnections } from '../../src/inspector/connections.ts'
import { findDataFolder } from '../../src/inspector/data-folder.ts'
import { makeTempFolder } from './temp-folder.ts'

function setUp() {
  const root = makeTempFolder()
  const home = join(root, 'home')
  const startFolder = join(home, 'app', 'src')
  const dataFolder = join(root, 'data')
  mkdirSync(startFolder, { recursive: true })
  const clock = { now: 1_000 }
  const start = () =>
    openConnections({ dataFolder, startFolder, home, now: () => (clock.now += 1) })
  return { root, home, startFolder, dataFolder, start }
}

function writeDatabase(path: string): string {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, 'x'.repeat(10))
  return path
}

test('one file has one id, however it is named', () => {
  const { root, home, startFolder, start } = setUp()
  const path = writeDatabase(join(home, 'app', 'x.db'))
  symlinkSync(join(home, 'app'), join(root, 'link'))
  const connections = start()
  const names = [
    path,
    '~/app/x.db',
    '../x.db',
    './../../app//x.db',
    relative(startFolder, path),
    join(root, 'link', 'x.db'),
  ]
  expect(names.map((name) => connections.open(name).path)).toStrictEqual(names.map(() => path))
  expect(new Set(names.map((name) => connections.open(name).databaseId)).size).toBe(1)
  expect(connections.listRecent()).toHaveLength(1)
})

test('an id outlives a restart, and the file', () => {
  const { home, start } = setUp()
  const path = writeDatabase(join(home, 'gone.db'))
  const opened = start().open(path)
  rmSync(path)
  const connections = start()
  expect(connections.find(opened.databaseId)).toStrictEqual(opened)
  expect(connections.open(path).databaseId).toBe(opened.databaseId)
  expect(connections.listRecent()).toMatchObject([
    { path, exists: false, sizeBytes: null, changedAt: null },
  ])
})

test('a path that is not there, or is no path at all, is registered all the same', () => {
  const { startFolder, start } = setUp()
  const connections = start()
  for (const name of ['nowhere/at/all.db', 'a\0b.db', '~nobody/x.db', ' ', 'x'.repeat(5_000)]) {
    const opened = connections.open(name)
    expect(opened.path).toBe(join(startFolder, name))
    expect(connections.find(opened.databaseId)).toStrictEqual(opened)
  }
})

test('the recent files are the last twelve, newest first, with facts', () => {
  const { home, start } = setUp()
  const paths = Array.from({ length: 15 }, (_, index) => writeDatabase(join(home, `${index}.db`)))
  const connections = start()
  for (const path of [...paths, paths[3] ?? '']) connections.open(path)
  const recent = start().listRecent()
  expect(recent.map((known) => known.kind === 'file' && known.shortPath)).toStrictEqual(
    [3, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4].map((index) => `~/${index}.db`),
  )
  expect(recent[0]).toMatchObject({ openedAt: 1_016, exists: true, sizeBytes: 10 })
})

test('the last change is that of the file or of its -wal, whichever is later', () => {
  const { home, start } = setUp()
  const path = writeDatabase(join(home, 'x.db'))
  writeFileSync(`${path}-wal`, '')
  const connections = start()
  connections.open(path)
  const latest = Math.max(statSync(path).mtimeMs, statSync(`${path}-wal`).mtimeMs)
  expect(connections.listRecent()[0]).toMatchObject({ changedAt: Math.round(latest) })
})

test('forgetting takes a file off the list', () => {
  const { home, start } = setUp()
  const connections = start()
  const { databaseId } = connections.open(join(home, 'x.db'))
  connections.forget(databaseId)
  connections.forget('never known')
  expect(connections.listRecent()).toStrictEqual([])
  expect(connections.find(databaseId)).toBeUndefined()
  expect(start().find(databaseId)).toBeUndefined()
})

test.for(['', '{', '[]', '{"version":2,"files":[]}', '{"version":1,"files":[{"path":7}]}'])(
  'a damaged list (%j) is kept aside and begun anew',
  (damaged) => {
    const { home, dataFolder, start } = setUp()
    mkdirSync(dataFolder)
    writeFileSync(join(dataFolder, 'recent.json'), damaged)
    const connections = start()
    expect(connections.listRecent()).toStrictEqual([])
    connections.open(join(home, 'x.db'))
    expect(start().listRecent()).toHaveLength(1)
    expect(readFileSync(join(dataFolder, 'recent.json.damaged'), 'utf8')).toBe(damaged)
  },
)

test('the list is replaced as a whole: nothing half-written stays beside it', () => {
  const { home, dataFolder, start } = setUp()
  start().open(join(home, 'x.db'))
  expect(readdirSync(dataFolder)).toStrictEqual(['recent.json'])
})

test('two hosts at once do not lose each other’s files', () => {
  const { home, start } = setUp()
  const [one, other] = [start(), start()]
  one.open(join(home, 'a.db'))
  other.open(join(home, 'b.db'))
  expect(one.listRecent().map((known) => known.kind === 'file' && known.shortPath)).toStrictEqual([
    '~/b.db',
    '~/a.db',
  ])
})

test('a data folder that cannot be made costs only the list', () => {
  const { root, home } = setUp()
  writeFileSync(join(root, 'file'), '')
  const connections = openConnections({
    dataFolder: join(root, 'file', 'data'),
    startFolder: home,
    home,
  })
  const opened = connections.open('x.db')
  expect(connections.find(opened.databaseId)).toStrictEqual(opened)
})

test('the sample is known before it exists and is not among the recent files', () => {
  const { dataFolder, start } = setUp()
  const connections = start()
  const { sample } = connections
  expect(sample).toMatchObject({
    isSample: true,
    path: join(dataFolder, 'sample', '.a2', 'dev.db'),
  })
  expect(connections.open(sample.path)).toStrictEqual(sample)
  expect(connections.find(sample.databaseId)).toStrictEqual(sample)
  expect(connections.listRecent()).toStrictEqual([])
  expect(existsSync(dataFolder)).toBe(false)
})

test('nearby is every .a2/dev.db from the folder upwards, nearest first', () => {
  const { home, startFolder, start } = setUp()
  const far = writeDatabase(join(home, '.a2', 'dev.db'))
  const near = writeDatabase(join(home, 'app', '.a2', 'dev.db'))
  writeDatabase(join(home, 'other', '.a2', 'dev.db'))
  mkdirSync(join(startFolder, '.a2', 'dev.db'), { recursive: true })
  expect(listNearby(startFolder)).toStrictEqual([near, far])
  const connections = start()
  connections.open(far)
  expect(connections.listNearby()).toMatchObject([
    { path: near, openedAt: null },
    { path: far, openedAt: 1_001 },
  ])
})

test.for([
  [{ A2_DATA_DIR: '/x/y' }, 'linux', '/x/y'],
  [{}, 'linux', '/home/p/.local/share/a2-inspector'],
  [{ XDG_DATA_HOME: '/xdg' }, 'linux', '/xdg/a2-inspector'],
  [{ XDG_DATA_HOME: 'not/absolute' }, 'linux', '/home/p/.local/share/a2-inspector'],
  [{ A2_DATA_DIR: '' }, 'darwin', '/home/p/Library/Application Support/A2 Inspector'],
  [{ LOCALAPPDATA: '/appdata' }, 'win32', '/appdata/A2 Inspector'],
] as const)('the data folder of %j on %s is %s', ([env, platform, folder]) => {
  expect(findDataFolder({ env, platform, home: '/home/p' })).toBe(folder)
})
