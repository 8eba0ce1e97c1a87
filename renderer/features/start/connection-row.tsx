import { useMutation, useQueryClient } from '@tanstack/react-query'

import type { KnownConnection } from '../../../src/contract/index.ts'
import { host, hostQueries } from '../../api/host.ts'
import { longPlace } from '../../lib/describe-server.ts'
import { Button } from '../../ui/button.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import { useOpenDatabase } from './use-open-database.ts'

interface ConnectionRowProps {
  readonly connection: KnownConnection
  readonly onEdit: (connection: KnownConnection) => void
}

/** A server that is known: its colour, its name and where it is. Pressing it connects. */
export function ConnectionRow({ connection, onEdit }: ConnectionRowProps) {
  const { goTo } = useOpenDatabase()
  const { databaseId, name, environment, openedAt } = connection
  const place = longPlace(connection.path)
  const title = name ?? environment
  return (
    <li className="file-row">
      <span aria-hidden="true" className="dot" data-environment={environment} />
      <button
        className="file-open connection-open"
        onClick={() => void goTo(databaseId)}
        title={`${connection.path}\n${environment}`}
        type="button"
      >
        <span className="cut">
          <b className="isolate">{title}</b> <span className="mono dim isolate">{place}</span>
          {title !== environment && <span className="visually-hidden">, {environment}</span>}
        </span>
      </button>
      <span className="file-facts">
        {openedAt === null ? 'not opened yet' : <TimeAgo at={openedAt} suffix=" ago" />}
        <Button
          aria-label={`Edit ${title}`}
          onClick={() => onEdit(connection)}
          size="small"
          tone="plain"
        >
          Edit
        </Button>
        <LetGo connection={connection} title={title} />
      </span>
    </li>
  )
}

/** One that was only opened is forgotten; a saved one is removed, with the secrets kept for it. */
function LetGo({
  connection,
  title,
}: {
  readonly connection: KnownConnection
  readonly title: string
}) {
  const queries = useQueryClient()
  const { databaseId } = connection
  const isSaved = connection.name !== null
  const { mutate } = useMutation({
    mutationFn: () => host.connections.remove({ databaseId }),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: hostQueries.files.key() }),
        queries.invalidateQueries({ queryKey: hostQueries.connections.list.key() }),
      ]),
  })
  const word = isSaved ? 'Remove' : 'Forget'
  return (
    <Button
      aria-label={`${word} ${title}`}
      onClick={() => mutate()}
      size="small"
      title={isSaved ? 'Removes the saved connection and the password kept for it.' : undefined}
      tone="plain"
    >
      {word}
    </Button>
  )
}
