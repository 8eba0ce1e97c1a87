import type { SearchHit } from '../../../src/model/search.ts'
import { Tag } from '../../ui/chip.tsx'
import { toSnippetParts } from './snippet-parts.ts'

const FIELDS: Record<SearchHit['field'], string | null> = {
  payload: null,
  error: 'error',
  type: 'type',
  id: 'event id',
  lane: 'lane',
  session: 'session',
}

/** What was found, on one line; never anything but text. */
export function Snippet({ hit: { field, snippet } }: { readonly hit: SearchHit }) {
  const whole = toSnippetParts(snippet, snippet.text.length)
  const name = FIELDS[field]
  return (
    <span className="search-snippet" title={whole.map(({ text }) => text).join('')}>
      {name !== null && <Tag>{name}</Tag>}
      <span className="cut mono isolate">
        {toSnippetParts(snippet).map(({ text, isMatch }, place) =>
          // oxlint-disable-next-line react/no-array-index-key -- the parts of one text
          isMatch ? <mark key={place}>{text}</mark> : <span key={place}>{text}</span>,
        )}
      </span>
    </span>
  )
}
