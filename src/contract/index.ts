import type { ContractRouterClient } from '@orpc/contract'

import type { backgroundContract } from './background-contract.ts'
import type { databaseContract } from './database-contract.ts'
import type { hostContract } from './host-contract.ts'

export { backgroundContract } from './background-contract.ts'
export { databaseContract } from './database-contract.ts'
export type { ParsedSettings } from './connection-contract.ts'
export { connectionErrors, databaseErrors, hostErrors } from './errors.ts'
export { hostContract, THEMES } from './host-contract.ts'
export type { HostInfo, Theme } from './host-contract.ts'
export type {
  KnownConnection,
  KnownDatabase,
  KnownFile,
  OpenedDatabase,
} from './known-databases.ts'

/** How a screen calls one open database. */
export type DatabaseClient = ContractRouterClient<typeof databaseContract>
/** How a screen asks one open database for what takes its time. */
export type BackgroundClient = ContractRouterClient<typeof backgroundContract>
/** How a screen calls the program around it. */
export type HostClient = ContractRouterClient<typeof hostContract>
