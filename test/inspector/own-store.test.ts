import { join } from 'node:path'
import { expect, it } from 'vitest'

import { sqlite } from '../../src/store/sqlite/store.ts'
import { makeFolder, open } from './support/open.ts'

it('a file written by our own store holds nothing that the inspector does not know', async () => {
  const path = join(makeFolder(), 'dev.db')
  const store = sqlite({ path })
  await store.append('s', [{ type: 'note', lane: 'l', payload: { n: 1 } }])
  await store.clear({ sessionId: 's' })
  const { client } = open(path)
  expect(await client.facts()).toMatchObject({
    schema: '0.18',
    unknownTables: [],
    unknownColumns: [],
    missingColumns: [],
    hasWorkIndex: true,
    isMarkerTypeLearned: true,
  })
  expect((await client.events.get({ sessionId: 's', index: 1 })).unknownColumns).toEqual([])
  await store.close()
})
