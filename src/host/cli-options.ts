import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { isConnectionText } from '../model/connection-text.ts'

export const USAGE = `Usage: npm start -- [path or connection] [options]

  path           the database to open, for example .a2/dev.db
                 without it: .a2/dev.db of this folder or of one above it, else the start screen
  connection     a Postgres: postgres://user@host/database or 'host=… dbname=…'; leave the password
                 out, for others can read command lines: ~/.pgpass is used, or you are asked
  --sample       open a sample database with a small app that keeps writing to it
  --browser      show it in your browser instead of a window
  --no-open      browser: print the address, open nothing (also A2_NO_OPEN=1)
  --no-sandbox   window: start Electron without its sandbox (needed as root)
  --help         this text

Environment: A2_PORT (browser: the port), A2_DATA_DIR (where recent files and the audit log are kept)`

type Env = Readonly<Record<string, string | undefined>>

export interface CliOptions {
  readonly path: string | null
  /** A text that names a server, maybe with a password in it. */
  readonly connection: string | null
  readonly isSample: boolean
  readonly isBrowser: boolean
  readonly isQuiet: boolean
  readonly isUnsandboxed: boolean
  readonly isHelp: boolean
}

/** The options, or one line that says what is wrong with them. */
export function readCliOptions(args: readonly string[]): CliOptions | { readonly problem: string } {
  let parsed
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        sample: { type: 'boolean', default: false },
        browser: { type: 'boolean', default: false },
        'no-open': { type: 'boolean', default: false },
        'no-sandbox': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    return { problem: error instanceof Error ? toFirstSentence(error.message) : String(error) }
  }
  const { values, positionals } = parsed
  if (positionals.length > 1) return { problem: `One path at a time, not ${positionals.length}.` }
  const [word = null] = positionals
  const connection = word !== null && isConnectionText(word) ? word : null
  const path = connection === null ? word : null
  if (path === '') return { problem: 'The path is empty.' }
  if (word !== null && values.sample) return { problem: 'Either a path or --sample, not both.' }
  return {
    path,
    connection,
    isSample: values.sample,
    isBrowser: values.browser,
    isQuiet: values['no-open'],
    isUnsandboxed: values['no-sandbox'],
    isHelp: values.help,
  }
}

/** Without the `--` before them npm takes our options for its own, and hands them on in the environment. */
export function takenByNpm(env: Env, projectFolder: string): string[] {
  if (!isOurScript(env, projectFolder)) return []
  const on = ['sample', 'browser'].filter((name) => env[`npm_config_${name}`] === 'true')
  const off = ['open', 'sandbox'].filter((name) => env[`npm_config_${name}`] === '')
  return [...on.map((name) => `--${name}`), ...off.map((name) => `--no-${name}`)]
}

/** The folder the person is in. npm runs scripts in the project's folder and says where it was called from. */
export function findUserFolder(env: Env, cwd: string, projectFolder: string): string {
  return (isOurScript(env, projectFolder) && env['INIT_CWD']) || cwd
}

function isOurScript(env: Env, projectFolder: string): boolean {
  return (
    env['npm_lifecycle_event'] === 'start' &&
    env['npm_package_json'] === join(projectFolder, 'package.json')
  )
}

function toFirstSentence(message: string): string {
  return message.replace(/\. [\s\S]*$/, '.')
}
