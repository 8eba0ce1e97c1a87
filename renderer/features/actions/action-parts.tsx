import type { ReactNode } from 'react'

import type { WorkCounts } from '../../../src/model/session.ts'
import { cutMiddle, formatCount } from '../../lib/format.ts'
import { toOneLine } from '../../lib/visible-text.ts'
import { Icon } from '../../ui/icons.tsx'
import { StateShape } from '../../ui/state-badge.tsx'
import './actions.css'

/** More than this is cut in the middle: ids differ at their ends. */
const LONGEST_ID = 180

/** The session an action is about. */
export function ActionId({ sessionId }: { readonly sessionId: string }) {
  return (
    <p className="action-id mono isolate">
      {sessionId === '' ? '“” (the empty id)' : toOneLine(cutMiddle(sessionId, LONGEST_ID))}
    </p>
  )
}

/** A numbered effect: the number first, then what happens to that many things. */
export function Effect({
  count,
  children,
}: {
  readonly count: ReactNode
  readonly children: ReactNode
}) {
  return (
    <li className="effect">
      <b className="num">{count}</b>
      <div>{children}</div>
    </li>
  )
}

/** Something the person must not overlook. */
export function Callout({
  tone,
  children,
}: {
  readonly tone: 'warning' | 'bad'
  readonly children: ReactNode
}) {
  return (
    <div className="callout" data-tone={tone} role="alert">
      <Icon name="warning" size={14} />
      <div>{children}</div>
    </div>
  )
}

const STATES = ['running', 'ready', 'retrying', 'expired', 'blocked', 'dead'] as const

/** Unfinished work by state; states without any are left out. */
export function WorkList({ work }: { readonly work: WorkCounts }) {
  return (
    <span className="work-list">
      {STATES.filter((state) => work[state] > 0).map((state) => (
        <span className="state" data-state={state} key={state}>
          <StateShape shape={state} />
          {`${formatCount(work[state])} ${state}`}
        </span>
      ))}
    </span>
  )
}
