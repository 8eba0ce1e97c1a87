import { useState } from 'react'
import type { ReactNode } from 'react'

import { useLiveValue } from '../../api/use-live.ts'
import { toVisible } from '../../lib/format.ts'

export interface TypedId {
  readonly isProduction: boolean
  /** True where nothing has to be typed, or it was typed. */
  readonly isGiven: boolean
  /** What is sent with the action. */
  readonly confirmation: { readonly confirmation?: string }
  /** Stands in the dialog; null outside of production. */
  readonly field: ReactNode
}

/** On production an action that cannot be taken back wants the session's id typed. */
export function useTypedId(sessionId: string): TypedId {
  const isProduction = useLiveValue(({ report }) => report?.environment === 'production')
  const [typed, setTyped] = useState('')
  if (!isProduction) return { isProduction, isGiven: true, confirmation: {}, field: null }
  // What cannot be typed is typed as it is shown.
  const isGiven = typed === sessionId || typed === toVisible(sessionId)
  return {
    isProduction,
    isGiven: isGiven && (typed !== '' || sessionId === ''),
    confirmation: isGiven ? { confirmation: sessionId } : {},
    field: (
      <label className="typed-id">
        <span>
          This is{' '}
          <strong className="environment-name" data-environment="production">
            production
          </strong>
          . Type the session id to go on: <code className="isolate">{toVisible(sessionId)}</code>
        </span>
        <input
          autoCapitalize="off"
          autoComplete="off"
          autoCorrect="off"
          className="input mono"
          onChange={(event) => setTyped(event.target.value)}
          spellCheck={false}
          value={typed}
        />
      </label>
    ),
  }
}
