import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A keychain of its own, as a desktop has one: a session bus with an unlocked GNOME keyring on it. */
export interface Keyring {
  /** What a program has to be started with to find it. */
  readonly env: Readonly<Record<string, string>>
  stop(): Promise<void>
}

const PROGRAMS = ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon']

/** Whether this machine has what it takes. */
export function hasKeyring(): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const has = (program: string) => folders.some((folder) => existsSync(join(folder, program)))
  return process.platform === 'linux' && PROGRAMS.every(has)
}

/** The same folder again is the same keychain again. */
export async function startKeyring(folder: string): Promise<Keyring> {
  const places = {
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    XDG_RUNTIME_DIR: join(folder, 'run'),
  }
  for (const place of Object.values(places)) mkdirSync(place, { recursive: true, mode: 0o700 })
  const base = { ...process.env, ...places }
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--nopidfile', '--print-address'], {
    env: base,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const address = await firstLine(bus)
  const found = { ...places, DBUS_SESSION_BUS_ADDRESS: address }
  const env = { ...base, ...found }
  const keyring = spawn(
    'gnome-keyring-daemon',
    ['--foreground', '--unlock', '--components=secrets'],
    { env, stdio: ['pipe', 'ignore', 'ignore'] },
  )
  keyring.stdin.end('a password of the test')
  while (!isThere(env)) {
    if (keyring.exitCode !== null) throw new Error('the keyring ended')
    // oxlint-disable-next-line no-await-in-loop -- until it is on the bus
    await sleep(20)
  }
  return {
    env: found,
    async stop() {
      for (const child of [keyring, bus]) {
        const over = new Promise((resolve) => child.once('exit', resolve))
        child.kill('SIGKILL')
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await over
      }
    },
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
    child.once('exit', () => reject(new Error(`${child.spawnfile} ended`)))
  })
}

/** Asked of the bus itself: a call to the keyring would have the bus start another one. */
function isThere(env: NodeJS.ProcessEnv): boolean {
  const answer = execFileSync(
    'dbus-send',
    [
      '--session',
      '--print-reply=literal',
      '--dest=org.freedesktop.DBus',
      '/org/freedesktop/DBus',
      'org.freedesktop.DBus.NameHasOwner',
      'string:org.freedesktop.secrets',
    ],
    { env, encoding: 'utf8' },
  )
  return answer.includes('true')
}
