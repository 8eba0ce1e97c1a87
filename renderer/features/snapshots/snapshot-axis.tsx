import type { ReducerSnapshots, SnapshotRef } from '../../../src/model/snapshot.ts'
import { allOf } from './snapshot-refs.ts'

interface SnapshotAxisProps {
  readonly reducer: ReducerSnapshots
  readonly sessionHead: number
  readonly clearIndex: number
  readonly selected: SnapshotRef | undefined
  readonly onChoose: (snapshot: SnapshotRef) => void
  readonly onOpenEvent: (index: number) => void
}

/** More points than this cannot be told apart; the oldest are then left to the list below. */
const MOST_POINTS = 60

/** The snapshots of a reducer along the indexes of the session. */
export function SnapshotAxis(props: SnapshotAxisProps) {
  const { reducer, sessionHead, clearIndex, selected, onChoose, onOpenEvent } = props
  const all = allOf(reducer)
  const shown = all.slice(-MOST_POINTS)
  const low = Math.min(clearIndex > 0 ? clearIndex : 1, shown[0]?.upToIndex ?? 1)
  const span = Math.max(1, sessionHead - low)
  const placeOf = (index: number) => `${2 + (96 * (index - low)) / span}%`
  const markerPlace = placeOf(clearIndex)
  return (
    <div className="axis">
      <div aria-label="Snapshots along the session" className="axis-line" role="group">
        {clearIndex > 0 && (
          <span
            aria-hidden="true"
            className="axis-marker"
            style={{ insetInlineStart: markerPlace }}
          />
        )}
        {shown.map((snapshot) => (
          <button
            aria-label={nameOf(snapshot)}
            aria-pressed={snapshot === selected}
            className="axis-point"
            data-below={snapshot.isBelowMarker}
            data-source={snapshot.source}
            key={`${snapshot.source}:${snapshot.upToIndex}`}
            onClick={() => onChoose(snapshot)}
            style={{ insetInlineStart: placeOf(snapshot.upToIndex) }}
            title={nameOf(snapshot)}
            type="button"
          />
        ))}
      </div>
      <div className="axis-ends num">
        <span>{`#${low}`}</span>
        {all.length > shown.length && (
          <span>{`the last ${MOST_POINTS} of ${all.length} snapshots`}</span>
        )}
        <span>{`#${sessionHead} session head`}</span>
      </div>
      {clearIndex > 0 && (
        <div className="axis-marker-line num">
          <button
            className="index-link"
            onClick={() => onOpenEvent(clearIndex)}
            style={{ insetInlineStart: markerPlace, transform: `translateX(-${markerPlace})` }}
            type="button"
          >
            {`#${clearIndex} clear marker`}
          </button>
        </div>
      )}
      <ol className="axis-list">
        {shown.toReversed().map((snapshot) => (
          <li key={`${snapshot.source}:${snapshot.upToIndex}`}>
            <button
              aria-pressed={snapshot === selected}
              className="tag num"
              data-below={snapshot.isBelowMarker}
              onClick={() => onChoose(snapshot)}
              type="button"
            >
              {nameOf(snapshot)}
            </button>
          </li>
        ))}
      </ol>
    </div>
  )
}

function nameOf({ upToIndex, source, pinnedBy, isBelowMarker }: SnapshotRef): string {
  const parts = [`@${upToIndex}`]
  if (source === 'head') parts.push('head')
  const [first] = pinnedBy
  if (first !== undefined) {
    parts.push(
      pinnedBy.length === 1 ? `pinned by #${first}` : `pinned by ${pinnedBy.length} events`,
    )
  }
  if (isBelowMarker) parts.push('no longer counts')
  return parts.join(' · ')
}
