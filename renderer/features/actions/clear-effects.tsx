import type { ClearPreview } from '../../../src/model/action.ts'
import { pendingOf } from '../../../src/model/session.ts'
import { formatCount } from '../../lib/format.ts'
import { Callout, Effect, WorkList } from './action-parts.tsx'

interface ClearEffectsProps {
  readonly preview: ClearPreview
  /** Also what comes until then: every number may be higher. */
  readonly takesAll: boolean
}

/** What a clear hides and drops. */
export function ClearEffects({ preview, takesAll }: ClearEffectsProps) {
  const { live, work, head, clearIndex, snapshots, isEmpty, needsClearsTable } = preview
  if (isEmpty) return <p>There is nothing to clear: no event stands after the last clear marker.</p>
  const pending = pendingOf(work) + work.dead
  const count = (number: number) => `${formatCount(number)}${takesAll ? '+' : ''}`
  return (
    <div className="action-text">
      <p>
        A clear marker is appended{' '}
        {takesAll ? (
          'after the last event there is by then'
        ) : (
          <>
            as <b>#{head + 1}</b>
          </>
        )}
        . Nothing is deleted: what stands before it stays on disk, greyed, until you reclaim it.
        Work on it is over for the app.
      </p>
      <ul className="effects">
        <Effect count={count(live)}>
          {live === 1 && !takesAll ? 'event becomes' : 'events become'} invisible to the app
          <span className="dim">
            {` · ${live === 1 ? '' : `#${clearIndex + 1}–`}#${head}`}
            {takesAll && ' and what comes until then'}
          </span>
        </Effect>
        {pending > 0 && (
          <Effect count={count(pending)}>
            unfinished, dropped: <WorkList work={work} />
            {work.running > 0 && (
              <p className="dim">What a worker is doing now will be refused when it finishes.</p>
            )}
          </Effect>
        )}
        {snapshots.length > 0 && (
          <Effect count={count(snapshots.length)}>
            {snapshots.length === 1 && !takesAll ? 'snapshot stops' : 'snapshots stop'} counting
            <SnapshotNames snapshots={snapshots} />
          </Effect>
        )}
      </ul>
      {needsClearsTable && (
        <Callout tone="warning">
          This file was made by a2 0.16 and has no table <code>a2_clears</code>. Clearing creates
          that one table, as a2 0.18 does when it opens the file. An app on 0.16 does not know clear
          markers.
        </Callout>
      )}
    </div>
  )
}

const NAMED = 6

function SnapshotNames({ snapshots }: Pick<ClearPreview, 'snapshots'>) {
  const names = snapshots
    .slice(0, NAMED)
    .map(({ reducer, upToIndex, isHead }) => `${reducer} @${upToIndex}${isHead ? '' : ' (kept)'}`)
  const more = snapshots.length - names.length
  return (
    <p className="dim isolate">
      {names.join(', ')}
      {more > 0 && ` and ${formatCount(more)} more`}
    </p>
  )
}
