import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

import { findElectron } from '../src/host/electron-binary.ts'

const DOWNLOAD_MS = 180_000
/** Larger than the largest window of the tests. */
const SCREEN = '-screen 0 1920x1200x24'

/** What the Electron tests are run by (a virtual display, where there is no real one), or what is missing. */
export async function prepareElectron(): Promise<
  { readonly wrapper: readonly string[] } | { readonly reason: string }
> {
  const hasDisplay =
    process.platform !== 'linux' ||
    Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'])
  // xvfb-run without xauth starts nothing and says little.
  if (
    !hasDisplay &&
    (findProgram('xvfb-run') === undefined || findProgram('xauth') === undefined)
  ) {
    return { reason: 'there is no display; apt-get install xvfb xauth, or run it on a desktop' }
  }
  const found = await findElectron({
    env: process.env,
    downloadMs: DOWNLOAD_MS,
    onDownload: () => console.log('Downloading Electron, for at most 3 minutes…'),
  })
  if ('reason' in found) {
    return {
      reason: `${found.reason}; npx install-electron with internet, or set ELECTRON_OVERRIDE_DIST_PATH to the folder of one`,
    }
  }
  const wrapper = hasDisplay ? [] : ['xvfb-run', '-a', '-s', SCREEN]
  const { status, stderr } = spawnSync(found.binary, ['--no-sandbox', '--version'], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  if (status === 0) return { wrapper }
  const why = stderr?.split('\n').find((line) => /shared libraries|FATAL/.test(line)) ?? ''
  return { reason: `${found.binary} does not run: ${why}` }
}

/** Undefined once there is a browser; on Debian as root it is installed when missing. Else how to get one. */
export function prepareBrowser(find: () => string | undefined): string | undefined {
  if (find() !== undefined) return undefined
  const isDebianRoot = process.getuid?.() === 0 && existsSync('/etc/debian_version')
  if (isDebianRoot) {
    console.log('Installing Chromium with apt-get…')
    apt(['update'])
    apt(['install', '-y', '--no-install-recommends', 'chromium'])
  }
  return find() === undefined
    ? 'none was found; install Chrome or Chromium, or npx playwright install chromium'
    : undefined
}

function apt(args: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env })
}

function findProgram(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))
}
