import type { ContractRouterClient } from '@orpc/contract'

import type { databaseContract } from './database-contract.ts'
import type { hostContract } from './host-contract.ts'

export { databaseContract } from './database-contract.ts'
export { databaseErrors, hostErrors } from './errors.ts'
export { hostContract, THEMES } from './host-contract.ts'
export type { HostInfo, KnownFile, OpenedDatabase, Theme } from './host-contract.ts'

/** How a screen calls one open database. */
export type DatabaseClient = ContractRouterClient<typeof databaseContract>
/** How a screen calls the program around it. */
export type HostClient = ContractRouterClient<typeof hostContract>
