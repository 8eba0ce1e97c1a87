import { describeReader } from '../inspector/describe-reader.ts'
import { FIXTURE_NOW, openDatabase } from '../inspector/support/open.ts'
import { copyToPostgres, gateTo, servers } from './support/database.ts'

for (const server of servers) {
  describeReader({
    name: server.name,
    open: async (fixture) => {
      const schema = await copyToPostgres(fixture, server)
      return openDatabase({ postgres: await gateTo(schema) }, { now: FIXTURE_NOW }).client
    },
    facts: { dialect: 'postgres', isStandby: false, canWrite: true, tls: null },
    // Normalised: a space after each colon and comma, keys by length.
    json: { storage: 'jsonb', spell: (text) => spellLikeJsonb(JSON.parse(text)) },
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
