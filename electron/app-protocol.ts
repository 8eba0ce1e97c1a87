import { protocol } from 'electron'

import { readRendererFile } from '../src/shell/renderer-files.ts'
import { APP_SCHEME, isOurs } from './app-address.ts'

/**
 * Not sent: no window of ours has an opener or opens others (lock-down.ts), and to part from one Electron would
 * start a second page process for each window.
 */
const OPENER_POLICY = 'cross-origin-opener-policy'

/** Must run before the app is ready. */
export function registerAppScheme(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, codeCache: true }
  protocol.registerSchemesAsPrivileged([{ scheme: APP_SCHEME, privileges }])
}

/** Serves the built renderer, and nothing else, under our scheme. */
export function serveApp(rendererFolder: string): void {
  protocol.handle(APP_SCHEME, async (request) => {
    if (request.method !== 'GET' || !isOurs(request.url)) return new Response(null, { status: 404 })
    const file = await readRendererFile(rendererFolder, new URL(request.url).pathname)
    const { [OPENER_POLICY]: _, ...headers } = file.headers
    return new Response(file.body, { status: file.status, headers })
  })
}
