import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

import { type GuardedServer, startGuardedServer } from '../host-postgres/support/guarded-server.ts'
import { expect, test } from './support/app.ts'
import { whoShows } from './support/who-shows.ts'
import { environmentOf, projectFolder } from './support/workspace.ts'

function start(args: readonly string[], env: NodeJS.ProcessEnv) {
  const cli = join(projectFolder, 'src', 'host', 'cli.ts')
  const child: ChildProcess = spawn(process.execPath, [cli, ...args], { env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(output)))
  return { child, ended }
}

async function untilConnected(server: GuardedServer): Promise<void> {
  const ours = `select 1 from pg_stat_activity where usename = 'app' and application_name = 'a2-inspector'`
  await expect
    .poll(async () => (await server.administer(ours)).length, { timeout: 30_000 })
    .toBeGreaterThan(0)
}

test('a window on a server of the command line: connected, and the password is nowhere to be seen', async ({
  app,
}) => {
  const server = await startGuardedServer()
  const args = ['--no-sandbox', server.url(server.password)]
  const { child, ended } = start(args, environmentOf(app))
  try {
    await untilConnected(server)
    const texts = [server.password, encodeURIComponent(server.password)]
    expect(whoShows(texts, app.dataFolder)).toStrictEqual([])
    child.kill('SIGTERM')
    const output = await ended
    for (const text of texts) expect(output).not.toContain(text)
    // Not the browser mode that is fallen back to.
    expect(output).not.toContain('A2 Inspector is at')
  } finally {
    child.kill('SIGKILL')
    await server.stop()
  }
})
