import { useState } from 'react'

import type { SessionDetail, WorkCounts } from '../../../src/model/session.ts'
import { cutMiddle, formatCount } from '../../lib/format.ts'
import { useSetSessionsSearch } from '../../routes/use-search.ts'
import { useCommands } from '../../state/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Tag } from '../../ui/chip.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { StateShape } from '../../ui/state-badge.tsx'
import { ClearDialog } from '../actions/clear-dialog.tsx'
import { ReclaimDialog } from '../actions/reclaim-dialog.tsx'
import { useWriteGuard } from '../actions/use-write-guard.tsx'
import { toOneLine } from '../../lib/visible-text.ts'

const LONGEST_ID = 120

/** Who the session is, what can be done with it, and its numbers. */
export function SessionHeader({ detail }: { readonly detail: SessionDetail }) {
  const { id, lifetimes } = detail.summary
  const count = `${lifetimes.isLowerBound ? '≥ ' : ''}${formatCount(lifetimes.count)}`
  return (
    <header className="session-header">
      <div className="session-title">
        <h2 className="mono isolate" title={id.length > LONGEST_ID ? undefined : id}>
          {id === '' ? '“” (the empty id)' : toOneLine(cutMiddle(id, LONGEST_ID))}
        </h2>
        <CopyButton label="Copy the id" text={id} />
        <Tag title="lifetimes: the spans between clears">{`lifetime ${count}`}</Tag>
        <Actions detail={detail} />
      </div>
      <SessionFacts detail={detail} />
    </header>
  )
}

function Actions({ detail }: { readonly detail: SessionDetail }) {
  const { id, toReclaim } = detail.summary
  const { guard, buttonProps, dialog } = useWriteGuard()
  const [open, setOpen] = useState<'clear' | 'reclaim' | null>(null)
  const close = () => setOpen(null)
  const clear = () => guard('go on to clear', () => setOpen('clear'))
  const reclaim = () => guard('go on to reclaim', () => setOpen('reclaim'))
  useCommands(toReclaim.count > 0 ? { clear, reclaim } : { clear })
  return (
    <div className="session-actions">
      {toReclaim.count > 0 && (
        <Button onClick={reclaim} {...buttonProps}>
          {`Reclaim ${toReclaim.isLowerBound ? '≥ ' : ''}${formatCount(toReclaim.count)}…`}
        </Button>
      )}
      <Button onClick={clear} tone="danger" {...buttonProps}>
        Clear…
      </Button>
      {dialog}
      {open === 'clear' && <ClearDialog onClose={close} sessionId={id} />}
      {open === 'reclaim' && <ReclaimDialog onClose={close} sessionId={id} />}
    </div>
  )
}

const STATES = ['ready', 'running', 'blocked', 'retrying', 'expired', 'dead'] as const

function SessionFacts({ detail }: { readonly detail: SessionDetail }) {
  const { head, live, work } = detail.summary
  return (
    <ul className="session-facts">
      <li>
        Head <b className="num">{`#${head}`}</b>
      </li>
      <li>
        Live <b className="num">{formatCount(live)}</b>
      </li>
      {STATES.map((state) => (
        <WorkFact key={state} state={state} work={work} />
      ))}
      {detail.reducers.length > 0 && <SnapshotFact detail={detail} />}
    </ul>
  )
}

function WorkFact({
  state,
  work,
}: {
  readonly state: (typeof STATES)[number]
  readonly work: WorkCounts | null
}) {
  const name = `${state.charAt(0).toUpperCase()}${state.slice(1)}`
  if (work === null) return state === 'ready' ? <li>{name} …</li> : null
  const count = work[state]
  // Nothing is going on is said once, by the states that are always there.
  if (count === 0 && state !== 'ready' && state !== 'dead') return null
  return (
    <li className={count > 0 ? 'state' : undefined} data-state={state}>
      {count > 0 && <StateShape shape={state} />}
      {name} <b className="num">{formatCount(count)}</b>
    </li>
  )
}

const NAMED = 3

function SnapshotFact({ detail }: { readonly detail: SessionDetail }) {
  const setSearch = useSetSessionsSearch()
  const counting = detail.reducers.filter(({ upToIndex }) => upToIndex >= detail.summary.clearIndex)
  const names = counting.slice(0, NAMED).map(({ name, upToIndex }) => `${name} @${upToIndex}`)
  const more = counting.length - names.length
  const old = detail.reducers.length - counting.length
  return (
    <li className="cut">
      Snapshots{' '}
      <button
        className="session-snapshots isolate"
        onClick={() => setSearch({ tab: 'snapshots' })}
        type="button"
      >
        {toOneLine(names.join(', '))}
        {more > 0 && ` and ${formatCount(more)} more`}
        {old > 0 && `${names.length > 0 ? ', ' : ''}${formatCount(old)} from before the clear`}
      </button>
    </li>
  )
}
