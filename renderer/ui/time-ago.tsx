import { useSyncExternalStore } from 'react'

import { formatAge, formatTime } from '../lib/format.ts'
import { usePreferences } from '../state/preferences.ts'

/** One clock for all: a list of a hundred ages costs one timer. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = Date.now()
    timer = setInterval(tick, 1_000)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) clearInterval(timer)
  }
}

/** Epoch ms, moving once a second and shared by all who ask. Prefer `TimeAgo`, which repaints only when its text changes. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

interface TimeAgoProps {
  /** Epoch ms; null: not known. */
  readonly at: number | null
  readonly className?: string
  /** Added after the age, for example ` ago`. */
  readonly suffix?: string
}

/** An age that keeps itself current; the exact time, its offset and the raw number on hover. */
export function TimeAgo({ at, className, suffix = '' }: TimeAgoProps) {
  const { zone } = usePreferences()
  const text = useSyncExternalStore(subscribe, () =>
    at === null ? '' : formatAge(at, Math.max(now, 0)),
  )
  if (at === null) {
    return (
      <span className={className} title="time not stored">
        –
      </span>
    )
  }
  const skew = text.startsWith('in ') ? '\nclock skew: later than this machine’s clock' : ''
  return (
    <time
      className={className}
      dateTime={toIso(at)}
      title={`${formatTime(at, zone)}\n${at}${skew}`}
    >
      {text}
      {text.startsWith('in ') ? '' : suffix}
    </time>
  )
}

function toIso(at: number): string | undefined {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** A moment written out in the chosen zone, the raw number on hover. */
export function Time({
  at,
  className,
}: {
  readonly at: number | null
  readonly className?: string
}) {
  const { zone } = usePreferences()
  if (at === null) return <span className={className}>–</span>
  return (
    <time className={className} dateTime={toIso(at)} title={String(at)}>
      {formatTime(at, zone)}
    </time>
  )
}
