import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Goes up when the generator makes other rows than before. */
export const GENERATION = 1

/** Where generated databases are kept between runs: `A2_BENCH_DIR`, or a folder of the system's caches. */
export function cacheFolder(): string {
  const folder = join(process.env['A2_BENCH_DIR'] ?? systemCache(), `generation-${GENERATION}`)
  mkdirSync(folder, { recursive: true })
  return folder
}

function systemCache(): string {
  const home = homedir()
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches', 'a2-inspector-bench')
  if (process.platform === 'win32')
    return join(process.env['LOCALAPPDATA'] ?? home, 'a2-inspector-bench')
  return join(process.env['XDG_CACHE_HOME'] ?? join(home, '.cache'), 'a2-inspector-bench')
}
