import { useSyncExternalStore } from 'react'

import { Button, IconButton } from './button.tsx'
import { SessionId } from './session-id.tsx'
import { type ShownToast, type Toast, withToast } from './toast-list.ts'
import './overlay.css'

const STAY_MS = { good: 5_000, normal: 5_000, warning: 12_000, bad: 20_000 } as const
const listeners = new Set<() => void>()
let shown: readonly ShownToast[] = []
let nextKey = 1

function publish(next: readonly ShownToast[]): void {
  shown = next
  for (const listener of listeners) listener()
}

/** Shows one sentence for a while, and speaks it; in place of the one before about the same thing. */
export function showToast(toast: Toast): void {
  const key = nextKey++
  publish(withToast(shown, { ...toast, key }))
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
