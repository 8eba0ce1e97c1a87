import type { EventDetail, RawColumn } from '../../../src/model/event.ts'
import { formatBytes, formatDuration } from '../../lib/format.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Time } from '../../ui/time-ago.tsx'
import { toLines, toOneLine } from '../json-view/visible-text.ts'
import { Fact, Facts } from './facts.tsx'

const MOST_RETURNED = 50

/** Identity and times. */
export function EventSection({ event }: { readonly event: EventDetail }) {
  const { id, createdAt, processedAt, returnedEventIds } = event
  return (
    <section className="details-section">
      <h4>Event</h4>
      <Facts>
        <Fact name="id">
          <span className="copyable">
            <span className="cut isolate" title={id}>
              {toOneLine(id) || '“”'}
            </span>
            <CopyButton label="Copy the id" text={id} />
          </span>
        </Fact>
        <Fact name="created">
          <Time at={createdAt} />
        </Fact>
        <Fact name="processed">{processedAt === null ? '–' : <Time at={processedAt} />}</Fact>
        {createdAt !== null && processedAt !== null && processedAt !== createdAt && (
          <Fact name="took">{formatDuration(processedAt - createdAt)}</Fact>
        )}
        {returnedEventIds !== null && (
          <Fact name="returned ids">
            <ReturnedIds ids={returnedEventIds} />
          </Fact>
        )}
      </Facts>
    </section>
  )
}

function ReturnedIds({ ids }: { readonly ids: readonly string[] }) {
  if (ids.length === 0) return <>none</>
  return (
    <ul>
      {ids.slice(0, MOST_RETURNED).map((id) => (
        <li className="cut isolate" key={id} title={id}>
          {toOneLine(id) || '“”'}
        </li>
      ))}
      {ids.length > MOST_RETURNED && <li>{`and ${ids.length - MOST_RETURNED} more`}</li>}
    </ul>
  )
}

/** Columns this program does not know, as they are stored. */
export function UnknownColumns({ columns }: { readonly columns: readonly RawColumn[] }) {
  return (
    <section className="details-section">
      <h4>Other columns</h4>
      <Facts>
        {columns.map(({ name, storage, text, bytes }) => (
          <Fact key={name} name={name}>
            <span className="isolate">{text === null ? 'NULL' : toLines(text)}</span>{' '}
            {text !== null && (
              <span className="faint">
                {storage}
                {bytes !== null && bytes > 64 && ` · ${formatBytes(bytes)}`}
              </span>
            )}
          </Fact>
        ))}
      </Facts>
    </section>
  )
}
