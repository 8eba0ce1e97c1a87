import { useNavigate } from '@tanstack/react-router'

import { useDatabase } from '../../api/database-context.ts'
import { useWriting } from '../../api/use-writing.ts'
import { useHotkeys } from '../../lib/use-hotkeys.ts'
import {
  readAuditSearch,
  readDeadSearch,
  readFindSearch,
  readSessionsSearch,
} from '../../routes/search.ts'
import { useCommands } from '../../state/commands.ts'

/** The screens of one database, in the order of the rail. */
function useGoTo() {
  const { databaseId } = useDatabase()
  const navigate = useNavigate()
  const params = { databaseId }
  return {
    sessions: () =>
      void navigate({ to: '/d/$databaseId/sessions', params, search: readSessionsSearch({}) }),
    dead: () => void navigate({ to: '/d/$databaseId/dead', params, search: readDeadSearch({}) }),
    presence: () => void navigate({ to: '/d/$databaseId/presence', params }),
    audit: () => void navigate({ to: '/d/$databaseId/audit', params, search: readAuditSearch({}) }),
    search: () =>
      void navigate({ to: '/d/$databaseId/search', params, search: readFindSearch({}) }),
  }
}

/** Keys and commands that need an open database. */
export function useShellCommands(): void {
  const { live } = useDatabase()
  const { isUnlocked, setUnlocked } = useWriting()
  const goTo = useGoTo()
  const toggleWriting = () => setUnlocked(!isUnlocked)
  const toggleLive = () => live.setPaused(!live.getState().isPaused)
  useCommands({
    'toggle-writing': toggleWriting,
    'toggle-live': toggleLive,
    'go-sessions': goTo.sessions,
    'go-dead': goTo.dead,
    'go-presence': goTo.presence,
    'go-audit': goTo.audit,
    'go-search': goTo.search,
  })
  useHotkeys({
    w: toggleWriting,
    p: toggleLive,
    '1': goTo.sessions,
    '2': goTo.dead,
    '3': goTo.presence,
    '4': goTo.audit,
    '5': goTo.search,
    'mod+shift+f': goTo.search,
  })
}
