import { BrowserWindow, dialog } from 'electron'

import type { CommandQuestion } from '../src/inspector/servers/command-guard.ts'

const PURPOSES = {
  password: 'the password',
  'key-passphrase': 'the passphrase of the client key',
} as const

/** Asks in a window of the system, which no page can press. */
export async function confirmCommand(question: CommandQuestion): Promise<boolean> {
  const { purpose, connection, command } = question
  const options = {
    type: 'warning',
    title: 'A2 Inspector',
    message: `Run this program to get ${PURPOSES[purpose]}?`,
    detail: `For ${connection}\n\n${command}\n\nIt is run as you, without a shell, each time the server asks. Only go on if you typed it.`,
    buttons: ['Do not run it', 'Run it'],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  } satisfies Electron.MessageBoxOptions
  const window = BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows()[0]
  const { response } = await (window === undefined
    ? dialog.showMessageBox(options)
    : dialog.showMessageBox(window, options))
  return response === 1
}
