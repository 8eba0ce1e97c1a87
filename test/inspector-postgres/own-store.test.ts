import { expect, it } from 'vitest'

import { postgres } from '../../src/store/postgres/store.ts'
import { openDatabase } from '../inspector/support/open.ts'
import { gateTo, makeSchema, servers } from './support/database.ts'

it.each(servers)(
  'a schema written by our own store holds nothing that the inspector does not know: $name',
  async (server) => {
    const schema = await makeSchema(server)
    const store = postgres({
      connectionString: schema.server.connectionString,
      schema: schema.name,
    })
    await store.append('s', [{ type: 'note', lane: 'l', payload: { n: 1 } }])
    await store.clear({ sessionId: 's' })
    const { client } = openDatabase({ postgres: await gateTo(schema) })
    expect(await client.facts()).toMatchObject({
      schema: '0.18',
      unknownTables: [],
      unknownColumns: [],
      missingColumns: [],
      isMarkerTypeLearned: true,
    })
    expect((await client.events.get({ sessionId: 's', index: 1 })).unknownColumns).toEqual([])
    await store.close()
  },
)
