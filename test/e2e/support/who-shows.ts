import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files of a folder, and of all processes what others can read of them, that hold one of the texts. */
export function whoShows(texts: readonly string[], dataFolder: string): string[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const files = readdirSync(dataFolder, { recursive: true, withFileTypes: true })
  return [
    ...processes.flatMap((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`]),
    ...files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name)),
  ].filter((path) => {
    const content = readOrNothing(path)
    return texts.some((text) => content.includes(text))
  })
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // It is gone, or another user's.
    return ''
  }
}
