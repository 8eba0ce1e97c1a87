import { resolve } from 'node:path'
import { z } from 'zod'

import { isConnectionText } from '../src/model/connection-text.ts'
import { listNearby } from '../src/inspector/connections.ts'

const schema = z.object({
  isSample: z.boolean(),
  /** Absolute, or beginning with `~`; null: the start screen. */
  path: z.string().nullable(),
  /** A URL or `keyword=value` text of a server, secrets included; null: none. */
  connection: z.string().nullable().default(null),
})

/** What a start asks for: this one, or a later one that is handed over to us. */
export type StartRequest = Readonly<z.infer<typeof schema>>

interface CommandLine {
  readonly argv: readonly string[]
  readonly cwd: string
  /** Started as `electron <app folder> …`, so that the first argument is not the person's. */
  readonly hasAppFolder: boolean
}

/** Without a path: the nearest `.a2/dev.db` from the current folder upwards. Switches of Chromium are passed over. */
export function readStartRequest({ argv, cwd, hasAppFolder }: CommandLine): StartRequest {
  const words = argv.slice(1).filter((word) => !word.startsWith('-'))
  const path = words[hasAppFolder ? 1 : 0]
  const isSample = argv.includes('--sample')
  if (isSample) return { isSample, path: null, connection: null }
  if (path === undefined) return { isSample, path: listNearby(cwd)[0] ?? null, connection: null }
  if (isConnectionText(path)) return { isSample, path: null, connection: path }
  return { isSample, path: path.startsWith('~') ? path : resolve(cwd, path), connection: null }
}

/** A request that another instance sent; undefined when it is not one. */
export function toStartRequest(data: unknown): StartRequest | undefined {
  return schema.safeParse(data).data
}
