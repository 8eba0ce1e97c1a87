import { useEffect, useRef } from 'react'

import type { SearchScope } from '../../../src/model/search.ts'
import { useDatabase } from '../../api/database-context.ts'
import type { FindSearch } from '../../routes/search.ts'
import { useOpenSession, useSetFindSearch } from '../../routes/use-search.ts'
import { useHotkeys } from '../../lib/use-hotkeys.ts'
import { runCommand } from '../../state/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd, ToggleTag } from '../../ui/chip.tsx'
import { TextFilter } from '../../ui/text-filter.tsx'
import { FilterField } from './filter-field.tsx'
import { useLetters } from './use-letters.ts'

const SCOPES: readonly { readonly scope: SearchScope; readonly name: string; title: string }[] = [
  { scope: 'payload', name: 'Payloads', title: 'Look into payloads only' },
  {
    scope: 'everything',
    name: 'Everything',
    title: 'Look into payloads, session ids, types, event ids, lanes and errors',
  },
]

/** What is looked for, and where. */
export function SearchForm({ search }: { readonly search: FindSearch }) {
  const setSearch = useSetFindSearch()
  const { q, s: sessionId, event } = search
  useFirstFocus(q === '')
  return (
    <header className="search-form">
      <div className="search-line">
        <h1>Search</h1>
        <TextFilter
          label="Search text"
          onChange={(text) => setSearch({ q: text }, { replace: true })}
          placeholder={search.in === 'payload' ? 'Text in payloads' : 'Text anywhere in an event'}
          value={q}
        />
        {sessionId !== undefined && event !== undefined && (
          <OpenSession event={event} sessionId={sessionId} />
        )}
      </div>
      <div className="search-line">
        <div aria-label="Where to look" className="search-scopes" role="group">
          {SCOPES.map(({ scope, name, title }) => (
            <ToggleTag
              isOn={search.in === scope}
              key={scope}
              onClick={() => setSearch({ in: scope })}
              title={title}
            >
              {name}
            </ToggleTag>
          ))}
        </div>
        <MatchCase search={search} />
        <FilterField
          label="Session"
          offer={sessionId === undefined ? null : { value: sessionId, label: 'only this' }}
          onChange={(session) => setSearch({ session })}
          placeholder="all sessions"
          value={search.session}
        />
        <FilterField
          label="Type"
          onChange={(type) => setSearch({ type: type ?? '' })}
          placeholder="all types"
          title="One type, or the beginning of several and a *"
          value={search.type === '' ? undefined : search.type}
        />
      </div>
    </header>
  )
}

/** Says what it means where it is off: databases differ. */
function MatchCase({ search }: { readonly search: FindSearch }) {
  const setSearch = useSetFindSearch()
  const letters = useLetters()
  const isOn = search.case === 'match'
  return (
    <ToggleTag
      isOn={isOn}
      onClick={() => setSearch({ case: isOn ? 'any' : 'match' })}
      title={isOn ? 'Large and small letters differ' : letters}
    >
      Match case
    </ToggleTag>
  )
}

function OpenSession({ sessionId, event }: { readonly sessionId: string; readonly event: number }) {
  const open = useOpenSession(useDatabase().databaseId)
  const go = () => open(sessionId, event)
  useHotkeys({ o: go })
  return (
    <Button onClick={go} size="small" title="Show this event in its session">
      Open session <Kbd>O</Kbd>
    </Button>
  )
}

/** Who comes here to search can type at once. */
function useFirstFocus(isWanted: boolean): void {
  const wanted = useRef(isWanted)
  useEffect(() => {
    if (wanted.current) runCommand('find')
  }, [])
}
