import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: string
  readonly home: string
}

/**
 * Where recent files, the audit log and the sample are kept: `A2_DATA_DIR`, else the platform's own place
 * for application data. Absolute; not created here.
 */
export function findDataFolder(
  { env, platform, home }: Surroundings = {
    env: process.env,
    platform: process.platform,
    home: homedir(),
  },
): string {
  const chosen = env['A2_DATA_DIR']
  if (chosen !== undefined && chosen !== '') return resolve(chosen)
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'A2 Inspector')
  if (platform === 'win32') {
    return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'A2 Inspector')
  }
  const dataHome = env['XDG_DATA_HOME']
  // The XDG specification asks for relative values to be ignored.
  const isUsable = dataHome !== undefined && dataHome.startsWith('/')
  return join(isUsable ? dataHome : join(home, '.local', 'share'), 'a2-inspector')
}
