import type { Client } from 'pg'
import { afterAll } from 'vitest'

import { describeReader } from '../inspector/describe-reader.ts'
import { describeSearch } from '../inspector/describe-search.ts'
import { FIXTURE_NOW, openDatabase } from '../inspector/support/open.ts'
import { anyServer, gateTo, keepCopy, servers } from './support/database.ts'

/** As `servers` have it, or changed after the rows were copied. */
interface Variant {
  readonly name: string
  readonly server: (typeof servers)[number]
  readonly change?: (app: Client) => Promise<unknown>
  readonly hasWorkIndex: boolean
}

const DROP_INDEXES =
  'drop index a2_events_pending; drop index a2_events_lane; drop index a2_events_event_id'

const PARTITIONS = 'a table in partitions'

const variants: readonly Variant[] = [
  ...servers.map((server) => ({ name: server.name, server, hasWorkIndex: true })),
  {
    name: 'the primary key alone',
    server: anyServer(),
    change: (app) => app.query(DROP_INDEXES),
    hasWorkIndex: false,
  },
  {
    name: PARTITIONS,
    server: anyServer(),
    change: (app) =>
      app.query(`
        alter table a2_events rename to copied;
        create table a2_events (like copied including defaults, primary key (session_id, idx))
          partition by hash (session_id);
        create table part_0 partition of a2_events for values with (modulus 2, remainder 0);
        create table part_1 partition of a2_events for values with (modulus 2, remainder 1);
        insert into a2_events select * from copied;
        drop table copied`),
    hasWorkIndex: false,
  },
  {
    name: 'ids in a collation of their own',
    server: anyServer(),
    change: (app) =>
      app.query(`
        alter table a2_events alter session_id type text collate "und-x-icu";
        alter table a2_events alter lane type text collate "und-x-icu"`),
    hasWorkIndex: true,
  },
]

/** Copied once: nothing here writes. */
const copies = new Map<string, ReturnType<typeof keepCopy>>()

async function copy({ name, server, change }: Variant, fixture: Parameters<typeof keepCopy>[0]) {
  const key = `${name} ${fixture}`
  let made = copies.get(key)
  if (made === undefined) copies.set(key, (made = makeCopy(fixture, server, change)))
  return made
}

async function makeCopy(
  fixture: Parameters<typeof keepCopy>[0],
  server: Variant['server'],
  change: Variant['change'],
) {
  const schema = await keepCopy(fixture, server)
  if (change !== undefined) await schema.use(change)
  return schema
}

afterAll(async () => {
  for (const made of copies.values()) {
    // oxlint-disable-next-line no-await-in-loop -- a few
    await (await made).drop()
  }
})

for (const variant of variants) {
  const { name, hasWorkIndex } = variant
  describeReader({
    name,
    open: async (fixture) => {
      const schema = await copy(variant, fixture)
      return openDatabase({ postgres: await gateTo(schema) }, { now: FIXTURE_NOW }).client
    },
    facts: { dialect: 'postgres', isStandby: false, canWrite: true, tls: null, hasWorkIndex },
    // Normalised: a space after each colon and comma, keys by length.
    json: { storage: 'jsonb', spell: (text) => spellLikeJsonb(JSON.parse(text)) },
  })
  describeSearch({
    name,
    open: async (fixture) => {
      const schema = await copy(variant, fixture)
      return openDatabase({ postgres: await gateTo(schema) }, { now: FIXTURE_NOW }).background
    },
    isKeyOrder: name === PARTITIONS,
  })
}

function spellLikeJsonb(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spellLikeJsonb).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const keys = Object.entries(value)
    .toSorted(([a], [b]) => Buffer.byteLength(a) - Buffer.byteLength(b) || (a < b ? -1 : 1))
    .map(([key, one]) => `${JSON.stringify(key)}: ${spellLikeJsonb(one)}`)
  return `{${keys.join(', ')}}`
}
