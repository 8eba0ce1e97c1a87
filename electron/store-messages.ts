import type { ConnectFailure, Secrets, ServerIdentity } from '../src/inspector/servers/secrets.ts'
import { hasKind } from '../src/model/has-kind.ts'
import { Secret } from '../src/model/secret.ts'
import type { FromKept, ToKept } from '../src/shell/kept-process.ts'

/** Secrets on their way from one process of ours to another. */
export type BareSecrets = { readonly [Purpose in keyof Secrets]: string | null }

/** Which of a database's routers a port is for. */
export type StoreRole = 'interactive' | 'background'

/**
 * What the main process tells a store process. `server`: what to look at, first of all, where no path was given;
 * `port`: a port of a page to serve; `scans`: a port between the two processes of a file; `connect`: answer when
 * there is a connection, or why there is none.
 */
export type ToStoreProcess =
  | { readonly kind: 'server'; readonly identity: ServerIdentity; readonly secrets: BareSecrets }
  | { readonly kind: 'port'; readonly role: StoreRole }
  | { readonly kind: 'scans' }
  | { readonly kind: 'connect'; readonly call: number; readonly secrets: BareSecrets | null }
  | ToKept

/** What a store process tells the main process. */
export type FromStoreProcess =
  /** A port of a page was closed. */
  | { readonly kind: 'port-closed' }
  | { readonly kind: 'connected'; readonly call: number; readonly failure: ConnectFailure | null }
  /** The process beside it is to be started, or to be ended because it does not answer. */
  | { readonly kind: 'scans-wanted' }
  | { readonly kind: 'scans-stuck' }
  | FromKept

export function isFromStoreProcess(message: unknown): message is FromStoreProcess {
  return hasKind(message, [
    'port-closed',
    'connected',
    'scans-wanted',
    'scans-stuck',
    'ready',
    'pong',
  ])
}

export function isToStoreProcess(message: unknown): message is ToStoreProcess {
  return hasKind(message, ['server', 'port', 'scans', 'connect', 'ping', 'close'])
}

export function bare({ password, keyPassphrase }: Secrets): BareSecrets {
  return {
    password: password?.reveal() ?? null,
    keyPassphrase: keyPassphrase?.reveal() ?? null,
  }
}

export function cover({ password, keyPassphrase }: BareSecrets): Secrets {
  return {
    password: password === null ? null : new Secret(password),
    keyPassphrase: keyPassphrase === null ? null : new Secret(keyPassphrase),
  }
}
