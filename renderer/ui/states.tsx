import type { ReactNode } from 'react'

import { describeError } from '../api/errors.ts'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'
import './states.css'

/** Nothing to show, and why. Only for lists that are known to be empty. */
export function EmptyState({
  title,
  children,
  actions,
}: {
  readonly title: string
  readonly children?: ReactNode
  readonly actions?: ReactNode
}) {
  return (
    <div className="blank">
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
      {actions !== undefined && <div className="blank-actions">{actions}</div>}
    </div>
  )
}

/** A part of the screen that could not be read: what happened, what is untouched, and a way to try again. */
export function ErrorState({
  error,
  onRetry,
}: {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
}) {
  const { title, detail } = describeError(error)
  return (
    <div className="error-panel" role="alert">
      <Icon name="warning" />
      <div>
        <strong>{title}</strong>
        <p className="dim">{detail}</p>
      </div>
      {onRetry !== undefined && (
        <Button onClick={onRetry} size="small">
          Try again
        </Button>
      )}
    </div>
  )
}

export function Spinner({ label = 'Loading' }: { readonly label?: string }) {
  return <span aria-label={label} className="spinner" role="img" />
}

/** Loading, in the middle of a panel. */
export function LoadingState({ label = 'Loading…' }: { readonly label?: string }) {
  return (
    <div className="blank" role="status">
      <span aria-hidden="true" className="spinner" />
      <p>{label}</p>
    </div>
  )
}

/** A grey bar in the place of a text that is on its way. */
export function Skeleton({ width }: { readonly width: number | string }) {
  return <span aria-hidden="true" className="skeleton" style={{ width }} />
}

/** Rows that are on their way. */
export function SkeletonRows({
  rows,
  label = 'Loading…',
}: {
  readonly rows: number
  readonly label?: string
}) {
  return (
    <div className="skeleton-rows" role="status">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row}>
          <Skeleton width={`${38 + ((row * 29) % 47)}%`} />
        </div>
      ))}
    </div>
  )
}
