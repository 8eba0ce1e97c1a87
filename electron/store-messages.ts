import type { ConnectFailure, Secrets, ServerIdentity } from '../src/inspector/servers/secrets.ts'
import { Secret } from '../src/model/secret.ts'

/** Secrets on their way from one process of ours to another. */
export type BareSecrets = { readonly [Purpose in keyof Secrets]: string | null }

/** Which of a database's routers a port is for. */
export type StoreRole = 'interactive' | 'background'

/**
 * What the main process tells a store process. `server`: what to look at, first of all, where no path was given;
 * `port`: a port to serve; `connect`: answer when there is a connection, or why there is none; `close`: end.
 */
export type ToStoreProcess =
  | { readonly kind: 'server'; readonly identity: ServerIdentity; readonly secrets: BareSecrets }
  | { readonly kind: 'port'; readonly role: StoreRole }
  | { readonly kind: 'connect'; readonly call: number; readonly secrets: BareSecrets | null }
  | { readonly kind: 'close' }

/** What a store process tells the main process. */
export type FromStoreProcess =
  /** A port it served was closed. */
  | { readonly kind: 'port-closed' }
  | { readonly kind: 'connected'; readonly call: number; readonly failure: ConnectFailure | null }

export function isFromStoreProcess(message: unknown): message is FromStoreProcess {
  return hasKind(message, ['port-closed', 'connected'])
}

export function isToStoreProcess(message: unknown): message is ToStoreProcess {
  return hasKind(message, ['server', 'port', 'connect', 'close'])
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

function hasKind(message: unknown, kinds: readonly string[]): boolean {
  return (
    typeof message === 'object' &&
    message !== null &&
    'kind' in message &&
    typeof message.kind === 'string' &&
    kinds.includes(message.kind)
  )
}
