import { formatCount } from '../lib/format.ts'
import type { BoundedCount } from '../../src/model/session.ts'

/** A number that says whether it is known: `1,284`, `≥ 1,000`, or `…` while it is still being counted. */
export function Count({ value }: { readonly value: number | BoundedCount | null | undefined }) {
  if (value === null || value === undefined) {
    return (
      <span className="num" title="not counted yet">
        <span aria-hidden="true">…</span>
        <span className="visually-hidden">not counted yet</span>
      </span>
    )
  }
  if (typeof value === 'number') return <span className="num">{formatCount(value)}</span>
  return (
    <span
      className="num"
      title={value.isLowerBound ? 'at least; counting stopped here' : undefined}
    >
      {value.isLowerBound ? '≥ ' : ''}
      {formatCount(value.count)}
    </span>
  )
}
