import { useQuery } from '@tanstack/react-query'
import { Outlet, useParams } from '@tanstack/react-router'
import { useState } from 'react'

import { useDatabase } from '../../api/database-context.ts'
import { DatabaseProvider } from '../../api/database-provider.tsx'
import { isUnknownDatabase } from '../../api/errors.ts'
import { hostQueries } from '../../api/host.ts'
import { useLiveValue } from '../../api/use-live.ts'
import { ErrorState, LoadingState } from '../../ui/states.tsx'
import { Palette } from '../palette/palette.tsx'
import { Banners } from './banners.tsx'
import { Rail } from './rail.tsx'
import { StatusBar } from './status-bar.tsx'
import { TopBar } from './top-bar.tsx'
import { TroubleScreen, UnknownDatabaseScreen } from './trouble-screen.tsx'
import { useShellCommands } from './use-shell-commands.ts'
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
    <DatabaseProvider databaseId={databaseId} key={databaseId}>
      <Frame isSample={opened.data.isSample} path={opened.data.path} />
    </DatabaseProvider>
  )
}

function Frame({ path, isSample }: { readonly path: string; readonly isSample: boolean }) {
  const { queries } = useDatabase()
  const facts = useQuery(queries.facts.queryOptions())
  const isUnlocked = useLiveValue((state) => state.isWritingUnlocked)
  const [goesOn, setGoesOn] = useState(false)
  useShellCommands()
  if (facts.data === undefined && facts.isError && !goesOn) {
    return (
      <TroubleScreen
        error={facts.error}
        onGoOn={() => setGoesOn(true)}
        onRetry={() => facts.refetch()}
        path={path}
      />
    )
  }
  return (
    <div className="app">
      <TopBar facts={facts.data} isSample={isSample} path={path} />
      <div className="banners">
        <Banners readError={facts.error} />
      </div>
      <Rail />
      <main className="screen">
        <Outlet />
      </main>
      <StatusBar facts={facts.data} isReading={facts.isPending} />
      <Palette />
      {isUnlocked && <div aria-hidden="true" className="unlocked-frame" />}
    </div>
  )
}
