import { join } from 'node:path'
import { expect, it } from 'vitest'

import { sqlite } from '../../src/store/sqlite/store.ts'
import { makeFolder, open } from './support/open.ts'

it('a session that several screens read at once after each clear has every marker once', async () => {
  const path = join(makeFolder(), 'dev.db')
  const store = sqlite({ path })
  const { client } = open(path)
  const wanted: number[] = []
  for (let clear = 1; clear <= 4; clear += 1) {
    await store.append('s', [
      { type: 'note', settled: true },
      { type: 'note', settled: true },
    ])
    await store.clear({ sessionId: 's' })
    wanted.unshift(3 * clear)
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => client.sessions.get({ sessionId: 's' })),
    )
    for (const { lifetimes } of answers) {
      expect(lifetimes.map(({ startMarker }) => startMarker)).toEqual([...wanted, null])
    }
  }
  await store.close()
})
