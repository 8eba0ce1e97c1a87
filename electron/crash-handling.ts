import { app } from 'electron'

import { logDefect } from '../src/shell/log-defects.ts'

/** Electron's own answer is a dialog, which hangs where nobody sees it. */
export function handleCrashes(): void {
  process.on('uncaughtException', end)
  process.on('unhandledRejection', end)
}

function end(error: unknown): void {
  logDefect(error)
  app.exit(1)
}
