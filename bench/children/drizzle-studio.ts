import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

import { root } from '../electron/bundles.ts'

/** What answers for a file to the page of Drizzle Studio, which itself is only on the net. */
export interface DrizzleStudio {
  /** Runs a statement as that page does; answers its rows as arrays. */
  ask(sql: string): Promise<readonly (readonly unknown[])[]>
  close(): Promise<void>
}

const LISTENING = 'up and running'

/** Its program: in `A2_BENCH_DRIZZLE_KIT`, a folder with a node_modules, or in ours; undefined: not installed. */
export function findDrizzleKit(): string | undefined {
  const program = join('node_modules', 'drizzle-kit', 'bin.cjs')
  return [process.env['A2_BENCH_DRIZZLE_KIT'] ?? root, root]
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path))
}

/** `path`: a copy, because it opens it to write. `folder`: an empty one, for its settings. */
export async function startDrizzleStudio(
  program: string,
  path: string,
  folder: string,
): Promise<DrizzleStudio> {
  const config = { dialect: 'sqlite', dbCredentials: { url: path } }
  writeFileSync(join(folder, 'drizzle.config.json'), JSON.stringify(config))
  const port = await freePort()
  const words = [program, 'studio', '--config=drizzle.config.json', '--host=127.0.0.1']
  const child = spawn(process.execPath, [...words, `--port=${port}`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    // No mkcert to be found: with one it makes certificates and speaks https.
    env: { HOME: folder, PATH: dirname(process.execPath) },
  })
  const ended = once(child, 'exit')
  const close = async (): Promise<void> => {
    child.kill()
    await ended
  }
  if (!(await says(child.stdout, LISTENING))) {
    await close()
    throw new Error('drizzle-kit does not start')
  }
  return { ask: (sql) => ask(port, sql), close }
}

async function says(output: NodeJS.ReadableStream, wanted: string): Promise<boolean> {
  const lines = createInterface({ input: output })
  for await (const line of lines) if (line.includes(wanted)) return true
  return false
}

async function ask(port: number, sql: string): Promise<readonly (readonly unknown[])[]> {
  const data = { sql, params: [], mode: 'array', method: 'all' }
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'proxy', data }),
  })
  const rows: unknown = await response.json()
  if (!Array.isArray(rows)) throw new Error('drizzle-kit did not answer with rows')
  return rows
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
