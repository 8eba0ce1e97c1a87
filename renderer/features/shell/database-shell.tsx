import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { ReactNode } from 'react'

import type { OpenedDatabase } from '../../../src/contract/index.ts'
import { DatabaseProvider } from '../../api/database-provider.tsx'
import { isUnknownDatabase } from '../../api/errors.ts'
import { hostQueries } from '../../api/host.ts'
import { useFacts } from '../../api/use-facts.ts'
import { useLiveValue } from '../../api/use-live.ts'
import { shortPath } from '../../lib/format.ts'
import { ErrorState, LoadingState } from '../../ui/states.tsx'
import { Palette } from '../palette/palette.tsx'
import { ConnectionGate } from './connection-gate.tsx'
import { Banners } from './banners.tsx'
import { Rail } from './rail.tsx'
import { StatusBar } from './status-bar.tsx'
import { TopBar } from './top-bar.tsx'
import { TroubleScreen, UnknownDatabaseScreen } from './trouble-screen.tsx'
import { useShellCommands } from './use-shell-commands.ts'
import { useTitle } from './use-title.ts'
import { WindowFrame } from './window-frame.tsx'
import './shell.css'

/** Everything below `/d/$databaseId`. */
export function DatabaseShell() {
  const { databaseId } = useParams({ from: '/d/$databaseId' })
  const opened = useQuery(hostQueries.resolve.queryOptions({ input: { databaseId } }))
  if (opened.isError) {
    if (isUnknownDatabase(opened.error)) return <UnknownDatabaseScreen />
    return (
      <main className="start">
        <ErrorState error={opened.error} onRetry={() => void opened.refetch()} />
      </main>
    )
  }
  if (opened.data === undefined) return <LoadingState label="Opening…" />
  return (
    <Gate key={databaseId} opened={opened.data}>
      <DatabaseProvider databaseId={databaseId}>
        <Frame opened={opened.data} />
      </DatabaseProvider>
    </Gate>
  )
}

function Gate({ opened, children }: { readonly opened: OpenedDatabase; children: ReactNode }) {
  if (opened.kind === 'file') return children
  return <ConnectionGate opened={opened}>{children}</ConnectionGate>
}

/** Short enough for a title. */
function nameOf(opened: OpenedDatabase): string {
  if (opened.kind === 'connection') return opened.name ?? opened.path
  return opened.isSample ? 'sample' : shortPath(opened.path)
}

function Frame({ opened }: { readonly opened: OpenedDatabase }) {
  const facts = useFacts()
  const isAway = useLiveValue(
    ({ report }) => report !== null && report.state.status !== 'connected',
  )
  const isLost = useLiveValue(({ connection }) => connection === 'lost')
  const failure = useLastFailure(facts)
  const [goesOn, setGoesOn] = useState(false)
  useShellCommands()
  useTitle(nameOf(opened))
  if (failure !== null && !goesOn) {
    return (
      <TroubleScreen
        error={isLost ? null : failure.error}
        onGoOn={() => setGoesOn(true)}
        onRetry={() => facts.refetch()}
        path={opened.path}
      />
    )
  }
  return (
    <div className="app" data-away={isAway}>
      <TopBar facts={facts.data} opened={opened} />
      <div className="banners">
        <Banners readError={facts.error} />
      </div>
      <Rail />
      <main className="screen">
        <Outlet />
      </main>
      <StatusBar facts={facts.data} isReading={facts.isPending} />
      <Palette />
      <WindowFrame opened={opened} />
    </div>
  )
}

interface Read {
  readonly data: unknown
  readonly isError: boolean
  readonly error: unknown
}

/** Why nothing was ever read; still so while it is being tried again. */
function useLastFailure({ data, isError, error }: Read): { readonly error: unknown } | null {
  const [last, setLast] = useState<{ readonly error: unknown } | null>(null)
  if (data !== undefined) {
    if (last !== null) setLast(null)
    return null
  }
  if (isError && last?.error !== error) setLast({ error })
  return isError ? { error } : last
}
