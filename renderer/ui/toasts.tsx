import { useSyncExternalStore } from 'react'

import { Button, IconButton } from './button.tsx'
import { SessionId } from './session-id.tsx'
import './overlay.css'

export interface Toast {
  readonly tone: 'good' | 'warning' | 'bad' | 'normal'
  /** The session it is about, when it is about one. */
  readonly sessionId?: string
  /** One sentence. */
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void }
}

type Shown = Toast & { readonly key: number }

const MOST = 4
const STAY_MS = { good: 5_000, normal: 5_000, warning: 12_000, bad: 20_000 } as const
const listeners = new Set<() => void>()
let shown: readonly Shown[] = []
let nextKey = 1

function publish(next: readonly Shown[]): void {
  shown = next
  for (const listener of listeners) listener()
}

/** Shows one sentence for a while, and speaks it. */
export function showToast(toast: Toast): void {
  const key = nextKey++
  publish([...shown, { ...toast, key }].slice(-MOST))
  setTimeout(() => dismiss(key), STAY_MS[toast.tone])
}

function dismiss(key: number): void {
  if (shown.some((toast) => toast.key === key)) publish(shown.filter((toast) => toast.key !== key))
}

/** Stands once in the window. */
export function Toasts() {
  const toasts = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shown,
  )
  return (
    <section aria-label="Messages" aria-live="polite" className="toasts">
      {toasts.map(({ key, tone, sessionId, text, action }) => (
        <div className="toast" data-tone={tone} key={key}>
          <div className="toast-words">
            {sessionId !== undefined && <SessionId id={sessionId} />}
            <p>{text}</p>
          </div>
          {action !== undefined && (
            <Button
              onClick={() => {
                dismiss(key)
                action.run()
              }}
              size="small"
            >
              {action.label}
            </Button>
          )}
          <IconButton icon="close" iconSize={12} label="Dismiss" onClick={() => dismiss(key)} />
        </div>
      ))}
    </section>
  )
}
