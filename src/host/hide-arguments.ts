import { isConnectionText } from '../model/connection-text.ts'

const TITLE = 'a2-inspector'

/**
 * The arguments, taken away from where others can read them when one of them names a server, for it may hold a
 * password. What the shell and npm show of their own is not ours to change.
 */
function hideArguments(): readonly string[] {
  const args = process.argv.slice(2)
  const secret = args.filter((word) => isConnectionText(word))
  if (secret.length === 0) return args
  // Overwrites what `ps` shows.
  process.title = TITLE
  process.argv.splice(2)
  // npm tells scripts how they were called.
  for (const [name, value = ''] of Object.entries(process.env)) {
    if (secret.some((word) => value.includes(word))) delete process.env[name]
  }
  return args
}

/** Taken as this file is read, which is before all others. */
export const cliArguments = hideArguments()
