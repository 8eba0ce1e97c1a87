import type { LookupFunction } from 'node:net'

import type { ConnectionSettings } from '../../../model/connection.ts'
import { describeConnection } from '../../../model/print-connection.ts'
import type { Credentials } from './credentials.ts'
import type { Machine } from './local-files.ts'
import type { TroubleMaker } from './trouble.ts'

/** How names become addresses; each connection looks its name up anew. */
export type Lookup = LookupFunction

/** One server, and all that is needed to reach it. */
export interface Target {
  readonly settings: ConnectionSettings
  readonly credentials: Credentials
  readonly machine: Machine
  readonly lookup?: Lookup | undefined
  readonly maker: TroubleMaker
}

export interface TargetOptions {
  readonly settings: ConnectionSettings
  readonly credentials: Credentials
  readonly machine: Machine
  /** Default: the resolver of the system. */
  readonly lookup?: Lookup
}

export function makeTarget(options: TargetOptions): Target {
  return {
    ...options,
    maker: {
      path: describeConnection(options.settings),
      secrets: () => options.credentials.all(),
    },
  }
}
