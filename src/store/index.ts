/** The public entry point of the package export `./store`. */
export { A2Error, type A2ErrorCode } from './errors.ts'
export { CLEAR_EVENT_TYPE } from './clear-marker.ts'
export { openStore } from './open-store.ts'
export { postgres, type PostgresStore, type PostgresStoreOptions } from './postgres/store.ts'
export { sqlite, type SqliteStore, type SqliteStoreOptions } from './sqlite/store.ts'
export type * from './store.ts'
