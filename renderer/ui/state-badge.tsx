import type { ReactNode } from 'react'

import type { ClearedAs, EventState } from '../../src/model/event.ts'
import './state-badge.css'

type Shape = EventState | 'abandoned'

/** One shape per state, so that colour is never the only difference. */
const SHAPES: Record<Shape, ReactNode> = {
  ready: <circle cx="6" cy="6" r="4" />,
  running: (
    <>
      <circle cx="6" cy="6" r="4" />
      <path d="M6 2a4 4 0 010 8z" fill="currentColor" stroke="none" />
    </>
  ),
  expired: (
    <>
      <circle cx="6" cy="6" r="4.2" strokeDasharray="2 1.6" />
      <path d="M6 3.600v2.600l1.6 1" />
    </>
  ),
  blocked: <path d="M4.2 2v8M7.8 2v8" strokeWidth="1.8" />,
  retrying: <path d="M9.8 6.300A3.9 3.9 0 112.9 3.600M2.5 1.400v2.500h2.5" />,
  processed: <path d="M2 6.500l2.7 2.700L10 3" strokeWidth="1.7" />,
  settled: <path d="M2 5l2.5 2.500L9.5 2M2 10.500h8" />,
  skipped: <path d="M1.8 8.500C2.6 3.8 7.5 3 9.6 6.600M10 3.500v3.500H6.6" />,
  dead: <path d="M2.5 2.500l7 7M9.5 2.500l-7 7" strokeWidth="1.8" />,
  marker: <path d="M1 6h1.500M4 6h1.500M7 6h1.500M10 6h1.2" strokeWidth="1.8" />,
  cleared: <path d="M2 10L10 2M2 6l4-4M6 10l4-4" />,
  abandoned: (
    <>
      <circle cx="6" cy="6" r="4" />
      <path d="M3.2 8.800l5.6-5.6" />
    </>
  ),
}

const WORDS: Record<Shape, string> = {
  ready: 'ready',
  running: 'running',
  expired: 'expired',
  blocked: 'blocked',
  retrying: 'retrying',
  processed: 'processed',
  settled: 'settled',
  skipped: 'skipped',
  dead: 'dead',
  marker: 'clear marker',
  cleared: 'cleared',
  abandoned: 'abandoned by clear',
}

interface StateBadgeProps {
  readonly state: EventState
  /** What a cleared event was; decides shape and word of state `cleared`. */
  readonly clearedAs?: ClearedAs | null
  /** Replaces the word, for example `1 m 52 s`; the state's own word is spoken before it where it does not begin with it. */
  readonly label?: string | undefined
  /** Replaces the hint; by itself it is the state's word where that is not shown. */
  readonly title?: string
}

/** The state of an event by colour, shape and word. */
export function StateBadge({ state, clearedAs = null, label, title }: StateBadgeProps) {
  const shape: Shape = state === 'cleared' && clearedAs !== null ? clearedAs : state
  const word = WORDS[shape]
  const isWordless = label !== undefined && !label.startsWith(word)
  return (
    <span className="state" data-state={state} title={title ?? (isWordless ? word : undefined)}>
      <StateShape shape={shape} />
      {isWordless && <span className="visually-hidden">{`${word}: `}</span>}
      <span className="cut isolate">{label ?? word}</span>
    </span>
  )
}

/** Only the shape, for places that print the word themselves. */
export function StateShape({ shape }: { readonly shape: Shape }) {
  return (
    <svg
      aria-hidden="true"
      fill="none"
      focusable="false"
      height="12"
      stroke="currentColor"
      strokeLinecap="round"
      strokeLinejoin="round"
      strokeWidth="1.4"
      viewBox="0 0 12 12"
      width="12"
    >
      {SHAPES[shape]}
    </svg>
  )
}
