/** What the main process tells a store process. `port` carries a port to serve, `close` asks it to end. */
export type ToStoreProcess = { readonly kind: 'port' } | { readonly kind: 'close' }

/** What a store process tells the main process: a port it served was closed. */
export interface PortClosed {
  readonly kind: 'port-closed'
}

export function isPortClosed(message: unknown): message is PortClosed {
  return hasKind(message) && message.kind === 'port-closed'
}

export function isToStoreProcess(message: unknown): message is ToStoreProcess {
  return hasKind(message) && (message.kind === 'port' || message.kind === 'close')
}

function hasKind(message: unknown): message is { readonly kind: unknown } {
  return typeof message === 'object' && message !== null && 'kind' in message
}
