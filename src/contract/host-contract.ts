import { oc, type } from '@orpc/contract'
import { z } from 'zod'

import { connectionContract } from './connection-contract.ts'
import { hostErrors } from './errors.ts'
import type { KnownDatabase, KnownFile, OpenedDatabase } from './known-databases.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** What the program around the screens is and can do. */
export interface HostInfo {
  readonly mode: 'electron' | 'browser'
  readonly platform: 'darwin' | 'win32' | 'linux'
  readonly version: string
  /** Native open dialog; without it the start screen asks for a path. */
  readonly canShowDialog: boolean
  readonly canOpenWindows: boolean
  /** Where recent files and the audit log are kept. */
  readonly dataFolder: string
}

const hostProcedure = oc.errors(hostErrors)

/** What the program around the screens offers: windows, dialogs, known files. */
export const hostContract = {
  info: hostProcedure.output(type<HostInfo>()),
  /** `recent`: files and connections, newest first, at most 12; `nearby`: `.a2/dev.db` from the start folder upwards. */
  files:
    hostProcedure.output(
      type<{ readonly recent: readonly KnownDatabase[]; readonly nearby: readonly KnownFile[] }>(),
    ),
  /** Registers a path (absolute, relative to the start folder, or `~/…`). Never fails for a bad file: the database's own procedures say what is wrong with it. */
  open: hostProcedure
    .input(z.object({ path: z.string().min(1).max(32_768) }))
    .output(type<OpenedDatabase>()),
  /** The native dialog; null when it was cancelled. */
  showOpenDialog: hostProcedure.output(type<OpenedDatabase | null>()),
  /** Opens the sample and starts the small app that keeps writing to it. */
  openSample: hostProcedure.output(type<OpenedDatabase>()),
  /** What an id stands for. */
  resolve: hostProcedure.input(z.object({ databaseId: z.string() })).output(type<OpenedDatabase>()),
  /** Takes it off the recent ones. A saved connection stays saved. */
  forget: hostProcedure.input(z.object({ databaseId: z.string() })).output(type<null>()),
  newWindow: hostProcedure
    .input(z.object({ databaseId: z.string().nullable() }))
    .output(type<null>()),
  setTheme: hostProcedure.input(z.object({ theme: z.enum(THEMES) })).output(type<null>()),
  connections: connectionContract,
}
