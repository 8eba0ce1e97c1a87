import { useSearch } from '@tanstack/react-router'

import type { SearchRequest } from '../../../src/model/search.ts'
import type { FindSearch } from '../../routes/search.ts'
import { useSetFindSearch } from '../../routes/use-search.ts'
import { SplitView } from '../../ui/split-view.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { EventDetails } from '../event-details/event-details.tsx'
import { SearchForm } from './search-form.tsx'
import { SearchResults } from './search-results.tsx'
import { useLetters } from './use-letters.ts'
import './search.css'

/** Looks for a text in all events, or lists those of a type. */
export function SearchScreen() {
  const search = useSearch({ from: '/d/$databaseId/search' })
  const setSearch = useSetFindSearch()
  const { s: sessionId, event } = search
  const request = toRequest(search)
  const side =
    sessionId === undefined || event === undefined ? null : (
      <EventDetails
        index={event}
        onClose={() => setSearch({ s: undefined, event: undefined })}
        sessionId={sessionId}
      />
    )
  return (
    <SplitView side={side} sideLabel="Event">
      <SearchForm search={search} />
      {request === null ? <Beginning /> : <SearchResults request={request} search={search} />}
    </SplitView>
  )
}

function Beginning() {
  const letters = useLetters()
  return (
    <EmptyState title="Search the events">
      Type a text to find it in payloads, or name a type to list its events. Events that were
      cleared are found too, for as long as they are stored. {letters}
    </EmptyState>
  )
}

/** null: nothing is asked for yet. */
function toRequest(search: FindSearch): SearchRequest | null {
  const { q, type } = search
  if (q === '' && type === '') return null
  return {
    text: q,
    scope: search.in,
    matchCase: search.case === 'match',
    sessionId: search.session ?? null,
    eventType: type === '' ? null : type,
  }
}
