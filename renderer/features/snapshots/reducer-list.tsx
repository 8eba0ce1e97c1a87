import type { ReducerSnapshots, SnapshotRef } from '../../../src/model/snapshot.ts'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { toOneLine } from '../../lib/visible-text.ts'

interface ReducerListProps {
  readonly reducers: readonly ReducerSnapshots[]
  readonly selected: string
  readonly onChoose: (name: string) => void
}

/** The reducers of a session. */
export function ReducerList({ reducers, selected, onChoose }: ReducerListProps) {
  return (
    <nav aria-label="Reducers" className="reducers">
      <div className="reducers-head">
        <b>Reducers</b>
        <span className="faint num">{formatCount(reducers.length)}</span>
      </div>
      <ul>
        {reducers.map((reducer) => (
          <li key={reducer.name}>
            <button
              aria-current={reducer.name === selected}
              className="reducer"
              onClick={() => onChoose(reducer.name)}
              type="button"
            >
              <span className="mono cut isolate" title={reducer.name}>
                {toOneLine(reducer.name) || '“”'}
              </span>
              <span className="faint num">
                {reducer.head === null ? 'no head' : `@${reducer.head.upToIndex}`}
              </span>
              <span className="reducer-facts">
                <Behind reducer={reducer} />
                {reducer.history.length > 0 && (
                  <span>{`${formatCount(reducer.history.length)} kept`}</span>
                )}
              </span>
              <span className="faint num">{reducer.head !== null && sizeOf(reducer.head)}</span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Further behind than this is worth a look. */
const FAR_BEHIND = 10

function Behind({ reducer: { head, behind } }: { readonly reducer: ReducerSnapshots }) {
  if (head === null || behind === null) return null
  if (head.isBelowMarker) return <span>no longer counts</span>
  if (behind === 0) return <span>head is current</span>
  return <span data-far={behind >= FAR_BEHIND}>{`head ${formatCount(behind)} behind`}</span>
}

/** A state too large to be measured for a list is told by what it takes in the table. */
function sizeOf({ bytes, areBytesEstimated = false }: SnapshotRef): string {
  return `${areBytesEstimated ? '≈ ' : ''}${formatBytes(bytes)}`
}
