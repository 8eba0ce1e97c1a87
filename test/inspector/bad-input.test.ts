import Database from 'better-sqlite3'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { outputOf, startChild } from './support/children.ts'
import {
  type Client,
  copyFixture,
  failureOf,
  makeFolder,
  open,
  until,
  viewAll,
} from './support/open.ts'
import { listen } from './support/listen.ts'
import { insertRows, makeBareTables, openApp } from './support/tables.ts'

const view = (client: Client) =>
  client.sessions.view({ sort: 'activity', direction: 'desc', text: '', chips: [] })

/** What every screen's first question and the live messages say; one answer when they agree. */
async function troublesOf(path: string): Promise<unknown[]> {
  const { client } = open(path)
  const asks = [
    () => client.facts(),
    () => view(client),
    () => client.sessions.get({ sessionId: 'chat:demo' }),
    () => client.sessions.find({ text: '', limit: 1 }),
    () => client.events.range({ sessionId: 'chat:demo', from: 1, to: 10 }),
    () => client.deadLetters.view({ text: '' }),
    () => client.presence(),
  ]
  const answers = new Set<unknown>()
  for (const ask of asks) {
    const { code, data } = await failureOf(ask())
    answers.add(code === 'DATABASE_TROUBLE' ? JSON.stringify(data) : code)
  }
  const { trouble } = await (await listen(client)).hear('trouble')
  answers.add(JSON.stringify(trouble))
  return [...answers].map((answer) => (typeof answer === 'string' ? JSON.parse(answer) : answer))
}

const inFolder = (name: string): string => join(makeFolder(), name)

function makeFile(content: string | Buffer): string {
  const path = inFolder('file.db')
  writeFileSync(path, content)
  return path
}

function makeDatabase(fill: (database: Database.Database) => void): string {
  const path = inFolder('file.db')
  const database = new Database(path)
  fill(database)
  database.close()
  return path
}

const isRoot = process.getuid?.() === 0

const NO_DATABASES: Record<string, { make: () => string; trouble: object }> = {
  'not there': {
    make: () => inFolder('nothing.db'),
    trouble: { kind: 'not-found', code: 'ENOENT' },
  },
  'in a folder that is not there': {
    make: () => inFolder('no/such/file.db'),
    trouble: { kind: 'not-found', code: 'ENOENT' },
  },
  'a link to nothing': {
    make: () => {
      const path = inFolder('link.db')
      symlinkSync('/nonexistent/file.db', path)
      return path
    },
    trouble: { kind: 'not-found', code: 'ENOENT' },
  },
  'a folder': {
    make: () => {
      const path = inFolder('folder.db')
      mkdirSync(path)
      return path
    },
    trouble: { kind: 'is-a-folder', code: null },
  },
  'a pipe, which is not opened': {
    make: () => {
      const path = inFolder('pipe.db')
      execFileSync('mkfifo', [path])
      return path
    },
    trouble: { kind: 'not-a-file', code: null },
  },
  'a device': { make: () => '/dev/zero', trouble: { kind: 'not-a-file', code: null } },
  empty: { make: () => makeFile(''), trouble: { kind: 'empty-file', code: null } },
  'a few bytes': { make: () => makeFile('x'), trouble: { kind: 'not-a-database', code: null } },
  text: {
    make: () => makeFile('# Notes\n'.repeat(1000)),
    trouble: { kind: 'not-a-database', code: 'SQLITE_NOTADB' },
  },
  'a zip': {
    make: () => makeFile(Buffer.concat([Buffer.from('504b0304', 'hex'), randomBytes(8188)])),
    trouble: { kind: 'not-a-database', code: 'SQLITE_NOTADB' },
  },
  'noise that does not fill its pages': {
    make: () => makeFile(randomBytes(10_001)),
    trouble: { kind: 'not-a-database', code: 'SQLITE_NOTADB' },
  },
  'what looks encrypted': {
    make: () => makeFile(randomBytes(16_384)),
    trouble: { kind: 'encrypted', code: 'SQLITE_NOTADB' },
  },
  'an SQLite database of something else': {
    make: () => makeDatabase((db) => db.exec('create table todo (id integer)')),
    trouble: { kind: 'not-a2', code: null },
  },
  'a view in the place of the table': {
    make: () => makeDatabase((db) => db.exec('create view a2_events as select 1')),
    trouble: { kind: 'not-a2', code: null },
  },
  'without a column that is needed': {
    make: () =>
      makeDatabase((db) => {
        makeBareTables(db)
        db.exec('alter table a2_events drop column lane_ready')
      }),
    trouble: { kind: 'column-missing', code: 'a2_events.lane_ready' },
  },
  'cut off inside its first page': {
    make: () => {
      const path = copyFixture('small.db')
      truncateSync(path, 50)
      return path
    },
    trouble: { kind: 'not-a-database', code: null },
  },
  'without its schema': {
    make: () => {
      const path = copyFixture('small.db')
      const file = openSync(path, 'r+')
      writeSync(file, Buffer.alloc(3996, 0xff), 0, 3996, 100)
      closeSync(file)
      return path
    },
    trouble: { kind: 'corrupt', code: 'SQLITE_CORRUPT' },
  },
}

describe('a file that is no database of a2', () => {
  it.each(Object.entries(NO_DATABASES))('is %s', async (_, { make, trouble }) => {
    const path = make()
    expect(await troublesOf(path)).toEqual([{ path, ...trouble }])
  })

  it('gets nothing beside it', async () => {
    const paths = [inFolder('nothing.db'), makeFile(''), makeFile('x')]
    for (const path of paths) {
      const before = readdirSync(dirname(path))
      await troublesOf(path)
      expect(readdirSync(dirname(path))).toEqual(before)
    }
  })

  it.each(['', 'x'])('keeps the -wal beside it when it holds only %j', async (content) => {
    const path = makeFile(content)
    writeFileSync(`${path}-wal`, 'the only copy')
    await troublesOf(path)
    expect(readdirSync(dirname(path))).toEqual(['file.db', 'file.db-wal'])
  })
})

describe('a damaged database', () => {
  it('with a broken page in the middle says so instead of showing less', async () => {
    const path = makeDatabase((db) => {
      makeBareTables(db)
      const payload = JSON.stringify('x'.repeat(900))
      const rows = Array.from({ length: 4000 }, (_, n) => ({
        session: `s${n % 50}`,
        index: 1 + Math.floor(n / 50),
        payload,
      }))
      insertRows(db, rows)
    })
    const file = openSync(path, 'r+')
    // Pages of the table and of its key, by the dozen: wherever one is needed, it is broken.
    for (let page = 200; page < 900; page += 1)
      writeSync(file, randomBytes(4096), 0, 4096, page * 4096)
    closeSync(file)
    const { client } = open(path)
    const failure = await until(
      () =>
        client.deadLetters.view({ text: '' }).then(
          () => null,
          (error: { data: unknown }) => error,
        ),
      'the broken page found',
    )
    expect(failure.data).toMatchObject({ kind: 'corrupt', path })
  })
})

describe('a database that cannot be read now', () => {
  it('is locked by an exclusive writer, and is read once that one is done', async () => {
    const path = copyFixture('small.db')
    const child = startChild('hold-lock', [path])
    await once(child.stdout, 'data')
    const { client } = open(path)
    expect(await failureOf(view(client))).toMatchObject({ data: { kind: 'locked' } })
    child.stdin.write('end')
    await once(child, 'close')
    expect(await viewAll(client)).toMatchObject({ known: 8 })
  })

  it.runIf(isRoot)('may not be read', async () => {
    const path = copyFixture('small.db')
    chmodSync(dirname(path), 0o755)
    chmodSync(path, 0o600)
    const answer = JSON.parse(await outputOf(startChild('facts-as-nobody', [path]))) as object
    expect(answer).toMatchObject({ data: { kind: 'no-permission' } })
  })

  it.runIf(isRoot)('is in WAL mode in a folder that may not be written', async () => {
    const path = copyFixture('small.db')
    chmodSync(dirname(path), 0o755)
    chmodSync(path, 0o644)
    const answer = JSON.parse(await outputOf(startChild('facts-as-nobody', [path]))) as object
    expect(answer).toMatchObject({ data: { kind: 'read-only-folder' } })
    expect(readdirSync(dirname(path))).toEqual(['small.db'])
  })

  it('left a hot journal behind', async () => {
    const path = copyFixture('small.db')
    const app = new Database(path)
    app.pragma('journal_mode = delete')
    app.pragma('cache_size = 1')
    app.exec("begin; update a2_events set payload = payload || '                '")
    const copy = inFolder('crashed.db')
    copyFileSync(path, copy)
    copyFileSync(`${path}-journal`, `${copy}-journal`)
    app.exec('rollback')
    app.close()
    expect(await troublesOf(copy)).toEqual([
      { kind: 'hot-journal', path: copy, code: expect.anything() },
    ])
    expect(readdirSync(dirname(copy))).toEqual(['crashed.db', 'crashed.db-journal'])
  })

  it('is read without its -wal, and says that there is none', async () => {
    const path = copyFixture('small.db')
    const app = openApp(path)
    insertRows(app, [{ session: 'only in the -wal', index: 1 }])
    const copy = inFolder('copy.db')
    copyFileSync(path, copy)
    const { client } = open(copy)
    expect(await client.facts()).toMatchObject({ isWalAbsent: true, journalMode: 'wal' })
    expect(await open(path).client.facts()).toMatchObject({ isWalAbsent: false })
    expect(await viewAll(client)).toMatchObject({ known: 8 })
  })

  it('comes back', async () => {
    const path = copyFixture('small.db')
    const elsewhere = inFolder('kept.db')
    copyFileSync(path, elsewhere)
    rmSync(path)
    const { client } = open(path)
    expect(await failureOf(view(client))).toMatchObject({ data: { kind: 'not-found' } })
    copyFileSync(elsewhere, path)
    expect(await viewAll(client)).toMatchObject({ known: 8 })
  })
})
