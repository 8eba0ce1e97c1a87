import { app, session } from 'electron'

import { isOurs } from './app-address.ts'

/** What a page may ask for: copying text, after a click. */
const ALLOWED = new Set(['clipboard-sanitized-write'])

/** For every page there will ever be: it stays where it is, opens nothing and is allowed nothing. */
export function lockDownPages(): void {
  app.on('web-contents-created', (_, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
    contents.on('will-navigate', (event) => {
      // A reload of itself is no way out.
      if (event.url !== contents.getURL() || !isOurs(event.url)) event.preventDefault()
    })
    contents.on('will-frame-navigate', (event) => {
      if (!event.isMainFrame) event.preventDefault()
    })
    contents.on('will-attach-webview', (event) => event.preventDefault())
  })
}

/** Needs the app to be ready. */
export function lockDownSession(): void {
  const { defaultSession } = session
  defaultSession.setPermissionRequestHandler((contents, permission, answer) =>
    answer(ALLOWED.has(permission) && isOurs(contents.getURL())),
  )
  defaultSession.setPermissionCheckHandler(
    (contents, permission) =>
      ALLOWED.has(permission) && contents !== null && isOurs(contents.getURL()),
  )
  defaultSession.setDevicePermissionHandler(() => false)
}
