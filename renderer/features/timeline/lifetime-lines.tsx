import type { Lifetime } from '../../../src/model/lifetime.ts'
import { formatCount, plural } from '../../lib/format.ts'
import { TimeAgo } from '../../ui/time-ago.tsx'

/** The header of a lifetime: number, what it is, its range, how much of it is stored. */
export function LifetimeHeader({ lifetime }: { readonly lifetime: Lifetime }) {
  const { number, isNumberLowerBound, status, startedAt } = lifetime
  const size = Math.max(0, lifetime.to - lifetime.from + 1)
  return (
    <div className="lifetime-header" data-old={status !== 'current'} role="presentation">
      <span className="cut" role="gridcell">
        <b
          title={
            isNumberLowerBound ? 'at least: older lifetimes may have been reclaimed' : undefined
          }
        >
          {`Lifetime ${isNumberLowerBound ? '≥ ' : ''}${formatCount(number)}`}
        </b>{' '}
        <span>
          {WORDS[status]}
          {size > 0 && ` · ${rangeText(lifetime)}`}
          {status === 'current' && startedAt !== null && (
            <>
              {' · started '}
              <TimeAgo at={startedAt} suffix=" ago" />
            </>
          )}
          {status === 'cleared' && size > 0 && ' · not reclaimed yet'}
        </span>
      </span>
      <span className="num" role="gridcell">
        {storedText(lifetime, size)}
      </span>
    </div>
  )
}

function rangeText({ from, to }: Lifetime): string {
  return from === to ? `#${from}` : `#${from}–#${to}`
}

const WORDS: Readonly<Record<Lifetime['status'], string>> = {
  current: 'current',
  cleared: 'cleared',
  'partly-reclaimed': 'partly reclaimed',
  reclaimed: 'reclaimed',
}

function storedText({ status, stored }: Lifetime, size: number): string {
  if (size === 0) return 'no events'
  if (status === 'current') return plural(stored, 'event')
  if (status === 'reclaimed') return 'nothing left on disk'
  if (status === 'cleared') return `${plural(stored, 'event')} still on disk`
  return `${formatCount(stored)} of ${plural(size, 'event')} still on disk`
}

/** A clear marker between two lifetimes. */
export function MarkerLine({ index, at }: { readonly index: number; readonly at: number | null }) {
  return (
    <div className="marker-line" role="gridcell">
      <span>
        {`#${index} cleared`}
        {at !== null && (
          <>
            {' · '}
            <TimeAgo at={at} suffix=" ago" />
          </>
        )}
      </span>
    </div>
  )
}

/** A range of indexes that is not stored any more. */
export function GoneLine({ from, to }: { readonly from: number; readonly to: number }) {
  const text = from === to ? `#${from} is gone (reclaimed)` : `#${from}–#${to} are gone (reclaimed)`
  return (
    <div className="gone-line" role="gridcell">
      {text}
    </div>
  )
}
