import type { SearchRequest } from '../../../src/model/search.ts'
import { isNotFound } from '../../api/errors.ts'
import { useHotkeys } from '../../lib/use-hotkeys.ts'
import type { FindSearch } from '../../routes/search.ts'
import { useSetFindSearch } from '../../routes/use-search.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { SearchProgressLine } from './search-progress-line.tsx'
import { SearchRows } from './search-rows.tsx'
import { useLetters } from './use-letters.ts'
import { type ShownSearch, useSearchRun } from './use-search-run.ts'

/** What a search found so far, how far it is, and how it ended. */
export function SearchResults({
  request,
  search,
}: {
  readonly request: SearchRequest
  readonly search: FindSearch
}) {
  const run = useSearchRun(request)
  const isRunning = run.status === 'running'
  useHotkeys(isRunning ? { Escape: run.stop } : {})
  return (
    <>
      <SearchProgressLine run={run} />
      {run.status === 'failed' && !isNotFound(run.error) && (
        <ErrorState error={run.error} onRetry={run.goOn} />
      )}
      {run.shown.length > 0 && <SearchRows run={run} search={search} />}
      {run.shown.length === 0 && isRunning && <SkeletonRows label="Searching…" rows={8} />}
      {run.shown.length === 0 && <Nothing run={run} search={search} />}
    </>
  )
}

function Nothing({ run, search }: { readonly run: ShownSearch; readonly search: FindSearch }) {
  const setSearch = useSetFindSearch()
  const letters = useLetters()
  if (run.status === 'stopped') {
    return (
      <EmptyState title="Nothing found so far">The search was stopped before its end.</EmptyState>
    )
  }
  if (run.status !== 'complete') return null
  const isNarrow = search.session !== undefined || search.type !== ''
  return (
    <EmptyState
      actions={
        <>
          {search.in === 'payload' && search.q !== '' && (
            <Button onClick={() => setSearch({ in: 'everything' })}>Search everything</Button>
          )}
          {search.case === 'match' && (
            <Button onClick={() => setSearch({ case: 'any' })}>Do not match case</Button>
          )}
          {isNarrow && search.q !== '' && (
            <Button onClick={() => setSearch({ session: undefined, type: '' })}>
              All sessions and types
            </Button>
          )}
        </>
      }
      title="Nothing found"
    >
      {whatWasLookedAt(search)} {search.case === 'any' && search.q !== '' ? letters : ''}
    </EmptyState>
  )
}

function whatWasLookedAt({ q, in: scope, session, type }: FindSearch): string {
  const where = session === undefined ? '' : ' of that session'
  if (q === '') return `No stored event${where} has that type.`
  const kind = type === '' ? '' : ' of that type'
  return scope === 'payload'
    ? `No payload of a stored event${where}${kind} holds this text. It is looked for as it is stored: a character written as an escape in JSON is another text.`
    : `No stored event${where}${kind} holds this text.`
}
