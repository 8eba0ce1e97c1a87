import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

interface Machine {
  readonly platform: string
  readonly isRoot: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isUnsandboxed: boolean
}

/** Why Electron need not even be tried here; undefined: it may work. */
export function whyNoElectron({
  platform,
  isRoot,
  env,
  isUnsandboxed,
}: Machine): string | undefined {
  if (platform !== 'linux') return undefined
  if (!env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return 'There is no display'
  if (isRoot && !isUnsandboxed && !env['ELECTRON_DISABLE_SANDBOX']) {
    return 'Electron does not run as root without --no-sandbox'
  }
  return undefined
}

/** The binary, downloaded when it is not there yet, or why it cannot be had. */
export async function findElectron(options: {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly downloadMs: number
  readonly onDownload: () => void
  /** Where the electron package is; undefined: it is not installed. */
  readonly packageFolder?: string | undefined
}): Promise<{ readonly binary: string } | { readonly reason: string }> {
  const chosen = options.env['ELECTRON_OVERRIDE_DIST_PATH']
  if (chosen) {
    const binary = join(chosen, executableName())
    return existsSync(binary) ? { binary } : { reason: `There is no Electron in ${chosen}` }
  }
  const folder = 'packageFolder' in options ? options.packageFolder : findPackage()
  if (folder === undefined) return { reason: 'Electron is not installed' }
  const present = installedBinary(folder)
  if (present !== undefined) return { binary: present }
  options.onDownload()
  const reason = await download(folder, options.downloadMs)
  const binary = installedBinary(folder)
  return binary === undefined
    ? { reason: reason ?? 'Electron could not be downloaded' }
    : { binary }
}

function findPackage(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve('electron/package.json'))
  } catch {
    return undefined
  }
}

/** The package writes `path.txt` last, when everything is unpacked. */
function installedBinary(folder: string): string | undefined {
  const note = join(folder, 'path.txt')
  if (!existsSync(note)) return undefined
  const binary = join(folder, 'dist', readFileSync(note, 'utf8'))
  return existsSync(binary) ? binary : undefined
}

/** Undefined when it worked. */
async function download(folder: string, waitMs: number): Promise<string | undefined> {
  const child = spawn(process.execPath, [join(folder, 'install.js')], {
    stdio: ['ignore', 'ignore', 'ignore'],
    timeout: waitMs,
    killSignal: 'SIGKILL',
  })
  return new Promise((resolve) => {
    child.once('error', () => resolve('Electron could not be downloaded'))
    child.once('exit', (code, signal) => {
      if (code === 0) resolve(undefined)
      else if (signal === null) resolve('Electron could not be downloaded')
      else resolve(`Electron was not downloaded within ${Math.round(waitMs / 1000)} seconds`)
    })
  })
}

function executableName(): string {
  if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron'
  return process.platform === 'win32' ? 'electron.exe' : 'electron'
}
