import { useSessionsSearch, useSetSessionsSearch } from '../../routes/use-search.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { SessionScreen } from '../session/session-screen.tsx'
import { SessionList } from './session-list.tsx'
import './sessions.css'

/**
 * Layout of the sessions route: list | main | side. The list column belongs to this folder; main and side
 * belong to `renderer/features/session/session-screen.tsx`, which exports `SessionScreen({ sessionId })`
 * and renders `SplitView` (renderer/ui/split-view.tsx) with the event's details, or null, as `side`.
 * Tab and event come from `useSessionsSearch()`, are changed with `useSetSessionsSearch()`.
 */
export function SessionsScreen() {
  const { s: sessionId } = useSessionsSearch()
  const setSearch = useSetSessionsSearch()
  const close = () => setSearch({ s: undefined, event: undefined })
  return (
    <div className="sessions" data-open={sessionId !== undefined}>
      <SessionList />
      <div className="sessions-main" id="session-main" tabIndex={-1}>
        {sessionId === undefined ? (
          <EmptyState title="No session chosen">
            Choose one in the list, with the arrow keys and Enter, or press / to filter.
          </EmptyState>
        ) : (
          <>
            <div className="sessions-back">
              <Button onClick={close} size="small" tone="plain">
                <Icon name="arrowLeft" size={13} />
                Sessions
              </Button>
            </div>
            <div className="sessions-body">
              <SessionScreen key={sessionId} sessionId={sessionId} />
            </div>
          </>
        )}
      </div>
    </div>
  )
}
