import { Menu, app } from 'electron'
import type { MenuItemConstructorOptions } from 'electron'

import type { KnownDatabase } from '../src/contract/index.ts'
import type { Command } from './windows.ts'

type Item = MenuItemConstructorOptions

interface MenuActions {
  readonly newWindow: () => void
  readonly openFile: (path: string) => void
  readonly openConnection: (databaseId: string) => void
  readonly openSample: () => void
  readonly send: (command: Command) => void
}

/** Sets the menu. Call again when the recent files changed. */
export function setMenu(actions: MenuActions, recent: readonly KnownDatabase[]): void {
  const isMac = process.platform === 'darwin'
  const menus: Item[] = [
    fileMenu(actions, recent),
    { role: 'editMenu' },
    viewMenu(actions),
    goMenu(actions, isMac),
    { role: 'windowMenu' },
    helpMenu(actions),
  ]
  Menu.setApplicationMenu(Menu.buildFromTemplate(isMac ? [{ role: 'appMenu' }, ...menus] : menus))
}

function fileMenu(actions: MenuActions, recent: readonly KnownDatabase[]): Item {
  return {
    label: '&File',
    submenu: [
      {
        id: 'new-window',
        label: 'New Window',
        accelerator: 'CmdOrCtrl+N',
        click: actions.newWindow,
      },
      command(actions, 'open', 'Open…', 'CmdOrCtrl+O'),
      { id: 'recent', label: 'Open Recent', ...recentMenu(actions, recent) },
      { id: 'open-sample', label: 'Open Sample', click: actions.openSample },
      { type: 'separator' },
      { role: 'close' },
      ...(process.platform === 'darwin' ? [] : [{ role: 'quit' } satisfies Item]),
    ],
  }
}

function recentMenu(actions: MenuActions, recent: readonly KnownDatabase[]): Item {
  if (recent.length === 0) return { enabled: false, submenu: [] }
  return {
    submenu: recent.map((known) => ({
      // In a label & marks the access key.
      label: labelOf(known).replaceAll('&', '&&'),
      enabled: known.kind === 'connection' || known.exists,
      click: () =>
        known.kind === 'file'
          ? actions.openFile(known.path)
          : actions.openConnection(known.databaseId),
    })),
  }
}

function labelOf(known: KnownDatabase): string {
  if (known.kind === 'file') return known.shortPath
  return known.name === null ? known.path : `${known.name} (${known.environment})`
}

function viewMenu(actions: MenuActions): Item {
  return {
    label: '&View',
    submenu: [
      command(actions, 'palette', 'Go to…', 'CmdOrCtrl+K'),
      command(actions, 'find', 'Find', 'CmdOrCtrl+F'),
      command(actions, 'toggle-live', 'Pause or Resume Live'),
      { type: 'separator' },
      command(actions, 'toggle-theme', 'Change Theme', 'CmdOrCtrl+Shift+L'),
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { role: 'togglefullscreen' },
      ...developerItems(),
    ],
  }
}

function developerItems(): Item[] {
  if (app.isPackaged || process.env['A2_DEV'] !== '1') return []
  return [{ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' }]
}

function goMenu(actions: MenuActions, isMac: boolean): Item {
  return {
    label: '&Go',
    submenu: [
      command(actions, 'back', 'Back', isMac ? 'Cmd+[' : 'Alt+Left'),
      command(actions, 'forward', 'Forward', isMac ? 'Cmd+]' : 'Alt+Right'),
    ],
  }
}

function helpMenu(actions: MenuActions): Item {
  return {
    role: 'help',
    submenu: [command(actions, 'shortcuts', 'Keyboard Shortcuts')],
  }
}

function command(actions: MenuActions, name: Command, label: string, accelerator?: string): Item {
  return {
    id: name,
    label,
    click: () => actions.send(name),
    ...(accelerator === undefined ? {} : { accelerator }),
  }
}
