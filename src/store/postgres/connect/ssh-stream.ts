import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { Duplex, type Readable, type Writable } from 'node:stream'

import type { ConnectionSettings } from '../../../model/connection.ts'
import type { Machine } from './local-files.ts'
import { makeTrouble, type TroubleMaker } from './trouble.ts'

const MAX_STDERR = 8_192
const KEEPALIVE_S = 15

/** Variables ssh has no business with. */
const SECRET_VARIABLES = ['PGPASSWORD', 'PGSSLPASSWORD']

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/**
 * The way through the system's ssh: its standard input and output are the socket, so that no port is
 * opened here. Its end is the end of the stream; what it said is the detail of the trouble.
 */
export class SshStream extends Duplex {
  readonly #child: Child
  readonly #maker: TroubleMaker
  #stderr = ''
  #isOver = false

  constructor(child: Child, maker: TroubleMaker) {
    super({ allowHalfOpen: false })
    this.#child = child
    this.#maker = maker
    child.stdout.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) child.stdout.pause()
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR)
    })
    // Its end is told by `close`; a broken pipe says nothing more.
    child.stdin.on('error', () => {})
    child.on('error', (error: NodeJS.ErrnoException) => this.#end(error.code ?? 'unknown'))
    child.on('close', (status, signal) => this.#end(signal ?? `exit ${status}`))
  }

  override _read(): void {
    this.#child.stdout.resume()
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#child.stdin.write(chunk, () => done())
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#child.stdin.end(() => done())
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#isOver = true
    this.#child.stdin.destroy()
    this.#child.kill()
    done(error)
  }

  #end(code: string): void {
    if (this.#isOver) return
    this.#isOver = true
    // The server closed its side, and ssh passed that on.
    if (code === 'exit 0') this.push(null)
    else this.destroy(makeTrouble(this.#maker, 'ssh-failed', code, this.#stderr))
  }
}

/** Starts `ssh -W host:port destination`. It asks nothing: what it needs has to come from its config or an agent. */
export function openSshStream(
  settings: Pick<ConnectionSettings, 'host' | 'hostAddress' | 'port'> & { sshHost: string },
  machine: Machine,
  connectTimeoutMs: number,
  maker: TroubleMaker,
): SshStream {
  const host = settings.hostAddress ?? settings.host
  const target = `${host.includes(':') ? `[${host}]` : host}:${settings.port}`
  const options = [
    'BatchMode=yes',
    `ConnectTimeout=${Math.max(1, Math.ceil(connectTimeoutMs / 1_000))}`,
    'ExitOnForwardFailure=yes',
    `ServerAliveInterval=${KEEPALIVE_S}`,
  ].flatMap((option) => ['-o', option])
  const args = ['-T', ...options, '-W', target, '--', settings.sshHost]
  const env = Object.fromEntries(
    Object.entries(machine.env).filter(([name]) => !SECRET_VARIABLES.includes(name)),
  )
  const child = spawn('ssh', args, { stdio: ['pipe', 'pipe', 'pipe'], env, windowsHide: true })
  return new SshStream(child, maker)
}
