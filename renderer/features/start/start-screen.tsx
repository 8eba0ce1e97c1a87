import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'

import type { KnownConnection } from '../../../src/contract/index.ts'
import { hostQueries, useHostInfo } from '../../api/host.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/chip.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { runCommand } from '../../state/commands.ts'
import { ConnectCard } from '../connect/connect-card.tsx'
import { FileList } from './file-list.tsx'
import { PathField } from './path-field.tsx'
import { useOpenDatabase } from './use-open-database.ts'
import './start.css'

/** Where the program begins without a database. */
export function StartScreen() {
  const info = useHostInfo()
  const { isPending, openDialog, openSample } = useOpenDatabase()
  const { saved, edit } = useEdited()
  const canShowDialog = info?.canShowDialog === true
  return (
    <main className="start">
      <div className="start-columns">
        <div className="start-column">
          <h1>A2 Inspector</h1>
          <p className="dim">Look into a2 sessions. Reading changes nothing.</p>
          {info !== undefined && !canShowDialog && <PathField isPrimary />}
          <div className="start-ways">
            {canShowDialog && (
              <Button disabled={isPending} onClick={openDialog} size="large" tone="primary">
                Open a database…
              </Button>
            )}
            <Button disabled={isPending} onClick={openSample} size="large">
              Try the sample
            </Button>
            {info?.mode === 'electron' && <span className="faint">or drop a file here</span>}
          </div>
          {canShowDialog && <PathField isPrimary={false} />}
          <KnownDatabases onEdit={(connection) => edit(connection.databaseId)} />
          <p className="start-foot">
            {info !== undefined && <span>version {info.version}</span>}
            <button className="link-button" onClick={() => runCommand('shortcuts')} type="button">
              <Kbd>?</Kbd> shortcuts
            </button>
          </p>
        </div>
        <ConnectCard
          key={saved?.databaseId ?? 'new'}
          onLeave={() => edit(undefined)}
          onSaved={(connection) => edit(connection.databaseId)}
          saved={saved}
        />
      </div>
    </main>
  )
}

/** The connection whose settings are in the form; the address names it. */
function useEdited() {
  const { edit: databaseId } = useSearch({ from: '/' })
  const navigate = useNavigate()
  const known = useQuery({
    ...hostQueries.connections.list.queryOptions(),
    refetchOnMount: 'always',
  })
  const saved = known.data?.find((connection) => connection.databaseId === databaseId) ?? null
  return {
    saved,
    edit: (next: string | undefined) => void navigate({ to: '/', search: { edit: next } }),
  }
}

interface KnownDatabasesProps {
  readonly onEdit: (connection: KnownConnection) => void
}

function KnownDatabases({ onEdit }: KnownDatabasesProps) {
  const files = useQuery({ ...hostQueries.files.queryOptions(), refetchOnMount: 'always' })
  const connections = useQuery(hostQueries.connections.list.queryOptions())
  if (files.data === undefined) {
    if (files.isError)
      return <ErrorState error={files.error} onRetry={() => void files.refetch()} />
    return <SkeletonRows label="Looking for files…" rows={3} />
  }
  const { nearby, recent } = files.data
  const shown = new Set(recent.map(({ databaseId }) => databaseId))
  const others = (connections.data ?? []).filter(
    ({ databaseId, name }) => name !== null && !shown.has(databaseId),
  )
  return (
    <>
      {nearby.length > 0 && <FileList databases={nearby} name="Found near you" />}
      {recent.length > 0 && <FileList canForget databases={recent} name="Recent" onEdit={onEdit} />}
      {others.length > 0 && (
        <FileList databases={others} name="Saved connections" onEdit={onEdit} />
      )}
      {nearby.length + recent.length + others.length === 0 && (
        <p className="faint start-none">
          Nothing opened yet, and no .a2/dev.db in the folder the inspector was started from or
          above it.
        </p>
      )}
    </>
  )
}
