import { useQuery } from '@tanstack/react-query'

import { hostQueries, useHostInfo } from '../../api/host.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/chip.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { runCommand } from '../../state/commands.ts'
import { FileList } from './file-list.tsx'
import { PathField } from './path-field.tsx'
import { useOpenDatabase } from './use-open-database.ts'
import './start.css'

/** Where the program begins without a database. */
export function StartScreen() {
  const info = useHostInfo()
  const { isPending, openDialog, openSample } = useOpenDatabase()
  const canShowDialog = info?.canShowDialog === true
  return (
    <main className="start">
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
        <KnownFiles />
        <p className="start-foot">
          {info !== undefined && <span>version {info.version}</span>}
          <button className="link-button" onClick={() => runCommand('shortcuts')} type="button">
            <Kbd>?</Kbd> shortcuts
          </button>
        </p>
      </div>
    </main>
  )
}

function KnownFiles() {
  const files = useQuery({ ...hostQueries.files.queryOptions(), refetchOnMount: 'always' })
  if (files.data === undefined) {
    if (files.isError)
      return <ErrorState error={files.error} onRetry={() => void files.refetch()} />
    return <SkeletonRows label="Looking for files…" rows={3} />
  }
  const { nearby } = files.data
  const recent = files.data.recent.filter((known) => known.kind === 'file')
  return (
    <>
      {nearby.length > 0 && <FileList files={nearby} name="Found near you" />}
      {recent.length > 0 && <FileList canForget files={recent} name="Recent" />}
      {nearby.length + recent.length === 0 && (
        <p className="faint start-none">
          Nothing opened yet, and no .a2/dev.db in the folder the inspector was started from or
          above it.
        </p>
      )}
    </>
  )
}
