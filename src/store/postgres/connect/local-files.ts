import { readFile, stat } from 'node:fs/promises'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'

/** The machine as libpq looks at it; injected, so that nothing but the host reads the real environment. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** The name of the operating system's user. */
  readonly user: string
}

export function thisMachine(env: Machine['env'] = process.env): Machine {
  return { env, home: env['HOME'] ?? homedir(), user: userInfo().username }
}

/** The text of a file, null when there is none. Other failures throw. */
export async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null
    throw error
  }
}

/** Where libpq looks for its files by default. */
export function postgresFolder({ home, env }: Machine): string {
  const appData = env['APPDATA']
  return process.platform === 'win32' && appData !== undefined
    ? join(appData, 'postgresql')
    : join(home, '.postgresql')
}

export type Privacy = 'private' | 'absent' | 'not-a-file' | 'open-to-others'

/** Whether only its owner can read a file; root's own may be read by its group where `mayBeRoots`. */
export async function privacyOf(path: string, { mayBeRoots = false } = {}): Promise<Privacy> {
  try {
    const { mode, uid, ...file } = await stat(path).then((found) => ({
      mode: found.mode,
      uid: found.uid,
      isFile: found.isFile(),
    }))
    if (!file.isFile) return 'not-a-file'
    if (process.platform === 'win32') return 'private'
    const forbidden = mayBeRoots && uid === 0 ? 0o037 : 0o077
    return (mode & forbidden) === 0 ? 'private' : 'open-to-others'
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return 'absent'
    throw error
  }
}

/** The code of a system or driver error: `ENOENT`, `28P01`. */
export function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}
