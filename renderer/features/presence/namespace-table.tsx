import type { PresenceRow } from '../../../src/model/presence.ts'
import { formatDuration, plural, toVisible } from '../../lib/format.ts'
import { StateShape } from '../../ui/state-badge.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'

interface NamespaceTableProps {
  readonly name: string
  readonly rows: readonly PresenceRow[]
  /** The database's clock when the rows were read. */
  readonly readAt: number
}

export function NamespaceTable({ name, rows, readAt }: NamespaceTableProps) {
  return (
    <section>
      <h2 className="namespace">
        <span className="isolate">{toVisible(name)}</span>
        <span className="faint num">{plural(rows.length, 'participant')}</span>
      </h2>
      <table className="table">
        <colgroup>
          <col width="22%" />
          <col />
          <col width="84" />
          <col width="84" />
          <col width="178" />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">Participant</th>
            <th scope="col">Data</th>
            <th scope="col">Joined</th>
            <th scope="col">Updated</th>
            <th scope="col">Expires</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              className="presence-row"
              data-expired={row.isExpired === true}
              key={row.participant}
            >
              <td className="mono isolate" title={row.participant}>
                {toVisible(row.participant)}
              </td>
              <td>
                <PresenceData row={row} />
              </td>
              <td>
                <TimeAgo at={row.joinedAt} className="num" />
              </td>
              <td>
                <TimeAgo at={row.updatedAt} className="num" />
              </td>
              <td>
                <Expiry readAt={readAt} row={row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Judged by the database's clock, as of the moment the rows were read. */
function Expiry({ row, readAt }: { readonly row: PresenceRow; readonly readAt: number }) {
  if (row.expiresAt === null || row.isExpired === null)
    return <span className="faint">not stored</span>
  const distance = formatDuration(Math.abs(row.expiresAt - readAt))
  if (!row.isExpired) return <span className="num">in {distance}</span>
  return (
    <span className="state num" data-state="expired">
      <StateShape shape="expired" />
      expired {distance} ago
    </span>
  )
}

const PREVIEW = 300

function PresenceData({ row }: { readonly row: PresenceRow }) {
  const extra = row.unknownColumns.map(({ name, text }) => `${name}: ${text ?? 'NULL'}`)
  if (row.data === null && extra.length === 0) return <span className="faint">not stored</span>
  const whole = row.data ?? ''
  if (whole.length <= 60 && extra.length === 0) return <span className="mono isolate">{whole}</span>
  return (
    <details className="presence-data">
      <summary className="isolate">{toVisible(whole.slice(0, PREVIEW))}</summary>
      <pre className="isolate">{[whole, ...extra].join('\n')}</pre>
    </details>
  )
}
