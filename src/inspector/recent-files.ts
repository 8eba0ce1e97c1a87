import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'

const recentFile = z.object({
  databaseId: z.string().min(1),
  path: z.string().min(1),
  openedAt: z.number(),
})
const document = z.object({ version: z.literal(1), files: z.array(recentFile) })

/** A file that was opened here: epoch ms of the last time. */
export type RecentFile = z.infer<typeof recentFile>

/** More than a list shows, so that a window restored later still finds its file. */
const KEPT = 100

/** Newest first. A file that cannot be understood is kept aside as `<name>.damaged` and the list begins anew. */
export function readRecentFiles(file: string): RecentFile[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return []
  }
  try {
    return document.parse(JSON.parse(text)).files
  } catch {
    keepAside(file)
    return []
  }
}

/** Replaces the list as a whole: a crash leaves the old or the new one, never half of it. */
export function writeRecentFiles(file: string, files: readonly RecentFile[]): void {
  writeFileAtomically(file, `${JSON.stringify({ version: 1, files: files.slice(0, KEPT) })}\n`)
}

/** Creates the folder when it is missing. Readable by this user only. */
export function writeFileAtomically(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.draft`
  try {
    writeFileSync(draft, text, { mode: 0o600 })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

function keepAside(file: string): void {
  try {
    renameSync(file, `${file}.damaged`)
  } catch {
    // It may be unreadable for us for the same reason; the next write replaces it.
  }
}
