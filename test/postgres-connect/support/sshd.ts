import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'

import type { Machine } from '../../../src/store/postgres/connect/local-files.ts'
import { freePort } from '../../support/postgres-server.ts'
import { emptyMachine } from './connect.ts'

/** The OpenSSH server of the machine with a key and a configuration of its own, and the real ssh to go with it. */
export interface Sshd {
  /** Its ssh knows the destinations of `CONFIG`. */
  readonly machine: Machine
  /** What the server wrote so far. */
  log(): string
  /** The same machine, with an agent that has been given the key. */
  withAgent(): Promise<Machine>
  /** Ends it with all tunnels through it, as a machine that loses power. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/** undefined where there is none; its processes are found as Linux tells them. */
export function findSshd(): string | undefined {
  return process.platform === 'linux' ? find('sshd') : undefined
}

function find(program: string): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/bin']
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path))
}

export async function startSshd(binary: string): Promise<Sshd> {
  const root = mkdtempSync(join(tmpdir(), 'a2-sshd-'))
  const at = (name: string): string => join(root, name)
  const key = (name: string): string => {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', at(name)])
    return readFileSync(at(`${name}.pub`), 'utf8')
  }
  const port = await freePort()
  const [host, user] = [key('host'), key('user')]
  key('stranger')
  writeFileSync(at('authorized'), user, { mode: 0o600 })
  writeFileSync(at('known'), `[127.0.0.1]:${port} ${host}`)
  writeFileSync(at('known-other'), `[127.0.0.1]:${port} ${key('other-host')}`)
  writeFileSync(at('known-none'), '')
  writeFileSync(at('sshd_config'), serverConfig(port, at))
  writeFileSync(at('ssh_config'), clientConfig(port, at))
  writeFileSync(at('ssh'), `#!/bin/sh\nexec ${find('ssh')} -F ${at('ssh_config')} "$@"\n`, {
    mode: 0o700,
  })
  // Where its separated part would have nothing to look at; the packages make it when the system starts.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const server = spawn(binary, ['-D', '-e', '-f', at('sshd_config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => (log += text))
  await untilSaid(
    server,
    () => log.includes('Server listening'),
    () => log,
  )
  const agents: ChildProcess[] = []
  const kill = async (): Promise<void> => {
    if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return
    const over = new Promise((resolve) => server.once('exit', resolve))
    for (const pid of [server.pid, ...descendantsOf(server.pid)]) process.kill(pid, 'SIGKILL')
    await over
  }
  const machine = emptyMachine({ PATH: `${root}${delimiter}${process.env['PATH']}` })
  return {
    machine,
    log: () => log,
    async withAgent() {
      const socket = at('agent')
      const agent = spawn('ssh-agent', ['-D', '-a', socket], {
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      agents.push(agent)
      await untilSaid(
        agent,
        () => existsSync(socket),
        () => 'the agent ended',
      )
      const env = { ...machine.env, SSH_AUTH_SOCK: socket }
      execFileSync('ssh-add', ['-q', at('user')], { env, stdio: 'pipe' })
      return { ...machine, env }
    },
    kill,
    async stop() {
      for (const agent of agents) agent.kill()
      await kill()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** The processes of its tunnels; each leads a session of its own, so that no group holds them. */
function descendantsOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((text) => text !== '')
    .map(Number)
  return children.flatMap((child) => [child, ...descendantsOf(child)])
}

function serverConfig(port: number, at: (name: string) => string): string {
  return `Port ${port}
ListenAddress 127.0.0.1
HostKey ${at('host')}
AuthorizedKeysFile ${at('authorized')}
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
LogLevel VERBOSE
`
}

/** Destinations, by what is special about them. */
function clientConfig(port: number, at: (name: string) => string): string {
  const known = (name: string): string => `UserKnownHostsFile ${at(name)}`
  return `Host stranger
  IdentityFile ${at('stranger')}
Host unknown
  ${known('known-none')}
Host changed
  ${known('known-other')}
Host through
  ProxyJump box
Host through-stranger
  ProxyJump stranger
Host * !stranger !with-agent
  IdentityFile ${at('user')}
Host * !with-agent
  IdentitiesOnly yes
Host *
  HostName 127.0.0.1
  Port ${port}
  User ${userInfo().username}
  ${known('known')}
  GlobalKnownHostsFile /dev/null
`
}

async function untilSaid(
  child: ChildProcess,
  isReady: () => boolean,
  words: () => string,
): Promise<void> {
  while (!isReady()) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended: ${words()}`)
    // oxlint-disable-next-line no-await-in-loop -- until it is up
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
