import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'

import type { KnownConnection, KnownDatabase, KnownFile } from '../../../src/contract/index.ts'
import { host, hostQueries } from '../../api/host.ts'
import { formatBytes } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Dot } from '../../ui/chip.tsx'
import { TimeAgo, useNow } from '../../ui/time-ago.tsx'
import { ConnectionRow } from './connection-row.tsx'
import { useOpenDatabase } from './use-open-database.ts'

/** Written to this recently: an app is probably running on it. */
const LIVE_WITHIN_MS = 60_000

interface FileListProps {
  readonly name: string
  readonly databases: readonly KnownDatabase[]
  readonly canForget?: boolean
  readonly onEdit?: (connection: KnownConnection) => void
}

/** Files and servers that are known, under one heading. */
export function FileList({ name, databases, canForget = false, onEdit }: FileListProps) {
  const heading = useId()
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading}>{name}</h2>
      <ul className="file-card">
        {databases.map((one) =>
          one.kind === 'file' ? (
            <FileRow canForget={canForget} file={one} key={one.databaseId} />
          ) : (
            <ConnectionRow connection={one} key={one.databaseId} onEdit={onEdit ?? (() => {})} />
          ),
        )}
      </ul>
    </section>
  )
}

function FileRow({ file, canForget }: { readonly file: KnownFile; readonly canForget: boolean }) {
  const { openPath, isPending } = useOpenDatabase()
  const queries = useQueryClient()
  const forget = useMutation({
    mutationFn: () => host.forget({ databaseId: file.databaseId }),
    onSettled: () => queries.invalidateQueries({ queryKey: hostQueries.files.key() }),
  })
  const isLive = useNow() - (file.changedAt ?? 0) < LIVE_WITHIN_MS && file.exists
  return (
    <li className="file-row" data-missing={!file.exists}>
      <Dot tone={isLive ? 'good' : 'off'} />
      <button
        className="file-open"
        disabled={isPending}
        onClick={() => openPath(file.path)}
        title={file.path}
        type="button"
      >
        <span className="cut isolate">{file.shortPath}</span>
      </button>
      <span className="file-facts">
        {file.exists ? <FileFacts file={file} isLive={isLive} /> : <span>not there any more</span>}
        {canForget && (
          <Button
            aria-label={`Forget ${file.shortPath}`}
            onClick={() => forget.mutate()}
            size="small"
            tone="plain"
          >
            Forget
          </Button>
        )}
      </span>
    </li>
  )
}

function FileFacts({ file, isLive }: { readonly file: KnownFile; readonly isLive: boolean }) {
  return (
    <span className="num">
      {file.sizeBytes !== null && formatBytes(file.sizeBytes)}
      {' · '}
      {isLive ? 'live' : <TimeAgo at={file.openedAt ?? file.changedAt} suffix=" ago" />}
    </span>
  )
}
