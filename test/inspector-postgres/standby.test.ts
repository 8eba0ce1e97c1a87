import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

import { listen } from '../inspector/support/listen.ts'
import { failureOf, FIXTURE_NOW, openDatabase, until, viewAll } from '../inspector/support/open.ts'
import { findBinaries, startPostgres } from '../support/postgres-server.ts'
import { gateTo, keepCopy } from './support/database.ts'
import { browse } from './support/screens.ts'

it('a server that becomes a standby is read as before, and takes no writes', async () => {
  const [binaries] = findBinaries()
  const server = await startPostgres(binaries!, { isDurable: false })
  onTestFinished(() => server.stop())
  const schema = await keepCopy('small.db', server)
  const { client } = openDatabase({ postgres: await gateTo(schema) }, { now: FIXTURE_NOW })
  await viewAll(client)
  const { heard } = await listen(client)
  await server.restart((folder) => writeFileSync(join(folder, 'standby.signal'), ''))
  const facts = await until(async () => {
    const found = await client.facts().catch(() => null)
    return found?.dialect === 'postgres' && found.isStandby ? found : null
  }, 'the standby seen')
  expect(facts.canWrite).toBe(false)
  await browse(client)
  expect(await viewAll(client)).toMatchObject({ known: 8, chips: { dead: 1 } })
  expect(heard.filter(({ kind }) => kind === 'reopened')).not.toContainEqual(
    expect.objectContaining({ reason: 'restored' }),
  )
  expect(await failureOf(client.writing.unlock())).toMatchObject({
    code: 'DATABASE_TROUBLE',
    data: { kind: 'standby' },
  })
}, 60_000)
