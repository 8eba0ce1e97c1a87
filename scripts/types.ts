import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')

/** One project for each room, so that a room sees its own globals only, and one for everything else. */
const rooms = globSync('{.,src/*,electron,renderer}/tsconfig.json', { cwd: root }).map(dirname)

/** The compiler's findings in one room; empty when it is clean. */
function check(room: string): Promise<string> {
  const args = [compiler, '-p', room, '--pretty', process.stdout.isTTY ? 'true' : 'false']
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root, maxBuffer: 64e6 }, (error, stdout, stderr) =>
      resolve(error === null ? '' : `${stdout}${stderr}` || error.message),
    )
  })
}

const waiting = rooms.values()
let isClean = true
async function work(): Promise<void> {
  for (const room of waiting) {
    // oxlint-disable-next-line no-await-in-loop -- one room at a time for each worker
    const findings = await check(room)
    if (findings === '') continue
    isClean = false
    console.error(`${room}:\n${findings.trimEnd()}\n`)
  }
}
await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work))
console.log(isClean ? `types: ${rooms.length} rooms are clean` : 'types: see above')
process.exitCode = isClean ? 0 : 1
