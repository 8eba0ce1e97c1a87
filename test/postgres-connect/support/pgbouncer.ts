import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

import { freePort, serverOwner } from '../../support/postgres-server.ts'

/** A pooler in transaction mode before a server. */
export interface Pooler {
  readonly port: number
  stop(): Promise<void>
}

/** What it does with startup options: refuse the connection, or leave them out and say nothing. */
export type OnOptions = 'refuses' | 'ignores'

/** The machine's PgBouncer, undefined where there is none. */
export function findPgbouncer(): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, 'pgbouncer'))
    .find((path) => existsSync(path))
}

/** One server connection for all clients, so that whatever one leaves in the session meets the next. */
export async function startPgbouncer(
  binary: string,
  server: number,
  onOptions: OnOptions,
): Promise<Pooler> {
  const root = mkdtempSync(join(tmpdir(), 'a2-pgbouncer-'))
  const owner = serverOwner()
  const port = await freePort()
  const config = join(root, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${server} user=postgres`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 1',
    'server_login_retry = 1',
    ...(onOptions === 'ignores' ? ['ignore_startup_parameters = options'] : []),
  ]
  writeFileSync(config, `${lines.join('\n')}\n`)
  if (owner !== undefined) for (const path of [root, config]) chownSync(path, owner.uid, owner.gid)
  const pooler = spawn(binary, [config], {
    ...owner,
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await untilUp(pooler)
  return {
    port,
    async stop() {
      const over = new Promise((resolve) => pooler.once('exit', resolve))
      if (pooler.exitCode === null) {
        pooler.kill('SIGINT')
        setTimeout(() => pooler.kill('SIGTERM'), 2_000).unref()
        await over
      }
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function untilUp(pooler: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = ''
    pooler.stderr?.on('data', (chunk: Buffer) => {
      log += chunk.toString()
      if (log.includes('process up')) resolve()
    })
    pooler.on('error', reject)
    pooler.on('exit', (code) => reject(new Error(`pgbouncer ended with ${code}: ${log}`)))
  })
}
