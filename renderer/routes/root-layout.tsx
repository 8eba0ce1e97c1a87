import { Outlet, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

import { onMenuCommand } from '../api/connect.ts'
import { host } from '../api/host.ts'
import { ShortcutsDialog } from '../features/shortcuts/shortcuts-dialog.tsx'
import { DropTarget } from '../features/start/drop-target.tsx'
import { useOpenDatabase } from '../features/start/use-open-database.ts'
import { useHotkeys } from '../lib/use-hotkeys.ts'
import { runCommand, useCommands } from '../state/commands.ts'
import { nextTheme, setPreferences, usePreferences } from '../state/preferences.ts'
import { showToast, Toasts } from '../ui/toasts.tsx'

/** What every screen has: messages, drop target, shortcuts, and the commands that need no database. */
export function RootLayout() {
  const { history } = useRouter()
  const { openDialog } = useOpenDatabase()
  useEffect(() => onMenuCommand(runCommand), [])
  useHostTheme()
  useCommands({
    'toggle-theme': () => {
      const theme = nextTheme()
      setPreferences({ theme })
      showToast({ tone: 'normal', text: `Theme: ${theme}` })
    },
    open: openDialog,
    back: () => history.back(),
    forward: () => history.forward(),
  })
  useHotkeys({ 'mod+o': openDialog })
  return (
    <>
      <Outlet />
      <DropTarget />
      <ShortcutsDialog />
      <Toasts />
    </>
  )
}

/** Window frames and native menus follow the chosen theme. */
function useHostTheme(): void {
  const { theme } = usePreferences()
  useEffect(() => {
    // Only cosmetic: a host that cannot be reached now is told at the next change.
    host.setTheme({ theme }).catch(() => undefined)
  }, [theme])
}
