import type { KeyboardEvent } from 'react'

import { SESSION_TABS } from '../../routes/search.ts'
import type { SessionTab } from '../../routes/search.ts'
import { useSessionsSearch, useSetSessionsSearch } from '../../routes/use-search.ts'
import { formatCount } from '../../lib/format.ts'

const NAMES: Readonly<Record<SessionTab, string>> = { timeline: 'Timeline', snapshots: 'Snapshots' }

/** The parts of a session; the chosen one is in the address. */
export function SessionTabs({ reducers }: { readonly reducers: number }) {
  const { tab: current } = useSessionsSearch()
  const setSearch = useSetSessionsSearch()
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = (SESSION_TABS.indexOf(current) + step + SESSION_TABS.length) % SESSION_TABS.length
    const next = SESSION_TABS[at] ?? 'timeline'
    setSearch({ tab: next }, { replace: true })
    document.getElementById(`tab-${next}`)?.focus()
  }
  return (
    <div aria-label="Parts of the session" className="session-tabs" role="tablist">
      {SESSION_TABS.map((tab) => (
        <button
          aria-controls="session-panel"
          aria-selected={tab === current}
          id={`tab-${tab}`}
          key={tab}
          onClick={() => setSearch({ tab })}
          onKeyDown={onKeyDown}
          role="tab"
          tabIndex={tab === current ? 0 : -1}
          type="button"
        >
          {NAMES[tab]}
          {tab === 'snapshots' && reducers > 0 && (
            <span className="faint num">{formatCount(reducers)}</span>
          )}
        </button>
      ))}
    </div>
  )
}
