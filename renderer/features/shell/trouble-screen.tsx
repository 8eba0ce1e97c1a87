import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'

import type { TroubleKind } from '../../../src/model/database.ts'
import { describeTrouble } from '../../../src/model/describe-trouble.ts'
import { describeError, troubleOf } from '../../api/errors.ts'
import { runCommand } from '../../state/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { EmptyState } from '../../ui/states.tsx'
import './trouble-screen.css'

interface TroubleScreenProps {
  readonly error: unknown
  readonly path: string
  readonly onRetry: () => Promise<unknown>
  /** Goes on to the parts that can be read. */
  readonly onGoOn?: () => void
  /** Further ways out. */
  readonly actions?: ReactNode
}

/** A damaged file may still hold sessions that can be read; of the other kinds nothing can. */
const READABLE_IN_PART = new Set<TroubleKind | undefined>(['corrupt', 'disk', 'unexpected'])

/** A database that cannot be shown at all: which trouble, what was not touched, the next step. */
export function TroubleScreen({ error, path, onRetry, onGoOn, actions }: TroubleScreenProps) {
  const trouble = troubleOf(error)
  const navigate = useNavigate()
  const [isTrying, setTrying] = useState(false)
  const retry = () => {
    setTrying(true)
    void onRetry().finally(() => setTrying(false))
  }
  return (
    <main className="trouble">
      <section className="trouble-card" data-trouble={trouble?.kind ?? 'other'} role="alert">
        <TroubleWords error={error} path={trouble?.path ?? path} />
        <div className="trouble-actions">
          <Button disabled={isTrying} onClick={retry} tone="primary">
            Try again
          </Button>
          {onGoOn !== undefined && READABLE_IN_PART.has(trouble?.kind) && (
            <Button onClick={onGoOn}>Show what can be read</Button>
          )}
          {actions}
          <Button onClick={() => runCommand('open')}>Open another…</Button>
          <Button onClick={() => void navigate({ to: '/' })}>Back to start</Button>
          {trouble !== null && <code className="trouble-code">{trouble.code ?? trouble.kind}</code>}
        </div>
      </section>
    </main>
  )
}

function TroubleWords({ error, path }: { readonly error: unknown; readonly path: string }) {
  const trouble = troubleOf(error)
  const other = describeError(error)
  const text = trouble === null ? null : describeTrouble(trouble)
  return (
    <>
      <h1>
        <Icon name="warning" size={20} />
        {text?.title ?? other.title}
      </h1>
      <p className="trouble-path isolate">{path}</p>
      {trouble?.detail != null && <pre className="trouble-path isolate">{trouble.detail}</pre>}
      {text === null ? (
        <p>{other.detail}</p>
      ) : (
        <dl>
          <dt>What happened</dt>
          <dd>{text.what}</dd>
          <dt>Not touched</dt>
          <dd>{text.untouched}</dd>
          <dt>Next step</dt>
          <dd>{text.next}</dd>
        </dl>
      )}
    </>
  )
}

/** An address with an id this machine has no path for. */
export function UnknownDatabaseScreen() {
  return (
    <main className="trouble">
      <EmptyState
        actions={<Link to="/">Back to start</Link>}
        title="This database is not known here"
      >
        The address names a database that was never opened on this machine, or that was forgotten.
        Its file was not touched.
      </EmptyState>
    </main>
  )
}
