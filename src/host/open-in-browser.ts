import { spawn } from 'node:child_process'

type Env = Readonly<Record<string, string | undefined>>

/** The system's opener. Null where there is none, or where it could only start a browser inside the terminal. */
export function findOpener(
  platform: string,
  env: Env,
): { readonly command: string; readonly args: readonly string[] } | null {
  if (platform === 'darwin') return { command: 'open', args: [] }
  // `start` of cmd.exe would take the & of an address for its own.
  if (platform === 'win32') return { command: 'rundll32', args: ['url.dll,FileProtocolHandler'] }
  if (!env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return null
  return { command: 'xdg-open', args: [] }
}

/** Whether the person, or an unattended run, asked for no browser. */
export function mayOpenBrowser(env: Env): boolean {
  return !env['CI'] && (env['A2_NO_OPEN'] ?? '0') === '0'
}

/** Tries; the address is printed anyway. */
export function openInBrowser(url: string): void {
  const opener = findOpener(process.platform, process.env)
  if (opener === null) return
  const child = spawn(opener.command, [...opener.args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
