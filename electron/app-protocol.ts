import { protocol } from 'electron'

import { readRendererFile } from '../src/shell/renderer-files.ts'
import { APP_SCHEME, isOurs } from './app-address.ts'

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
    return new Response(file.body, { status: file.status, headers: file.headers })
  })
}
