import type { AuditEntry } from '../../../src/model/audit.ts'
import { useDatabase } from '../../api/database-context.ts'
import { cutMiddle, toVisible } from '../../lib/format.ts'
import { useOpenSession } from '../../routes/use-search.ts'
import { StateShape } from '../../ui/state-badge.tsx'
import { Time } from '../../ui/time-ago.tsx'

interface AuditTableProps {
  readonly entries: readonly AuditEntry[]
  readonly showsDatabase: boolean
}

export function AuditTable({ entries, showsDatabase }: AuditTableProps) {
  return (
    <table className="table audit-table">
      <colgroup>
        <col className="audit-when" width="250" />
        <col width="76" />
        <col width="20%" />
        {showsDatabase && <col width="16%" />}
        <col className="audit-guard" width="140" />
        <col width="118" />
        <col />
      </colgroup>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Action</th>
          <th scope="col">On</th>
          {showsDatabase && <th scope="col">Database</th>}
          <th className="audit-guard" scope="col">
            Guard
          </th>
          <th scope="col">Outcome</th>
          <th scope="col">What happened</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <AuditRow entry={entry} key={entry.id} showsDatabase={showsDatabase} />
        ))}
      </tbody>
    </table>
  )
}

function AuditRow({
  entry,
  showsDatabase,
}: {
  readonly entry: AuditEntry
  readonly showsDatabase: boolean
}) {
  const at = Date.parse(entry.at)
  return (
    <tr>
      <td className="mono num audit-time">{Number.isNaN(at) ? entry.at : <Time at={at} />}</td>
      <td>{entry.action}</td>
      <td className="mono" title={toVisible(entry.sessionId)}>
        <Target entry={entry} isElsewhere={showsDatabase} />
      </td>
      {showsDatabase && (
        <td className="mono isolate" title={entry.database}>
          {cutMiddle(entry.database, 40)}
        </td>
      )}
      <td className="mono dim audit-guard" title={guardOf(entry)}>
        {guardOf(entry)}
      </td>
      <td>
        <Outcome entry={entry} />
      </td>
      <td className="wrap dim isolate">
        {entry.detail ??
          (entry.hasOutcome
            ? ''
            : 'Only the intent is on record. Look at the event before doing it again.')}
      </td>
    </tr>
  )
}

/** Entries of this database lead to what they were about. */
function Target({
  entry,
  isElsewhere,
}: {
  readonly entry: AuditEntry
  readonly isElsewhere: boolean
}) {
  const open = useOpenSession(useDatabase().databaseId)
  const name = cutMiddle(toVisible(entry.sessionId), 60)
  const words = (
    <>
      <span className="cut isolate">{name}</span>
      {entry.index !== null && <span className="num">{`#${entry.index}`}</span>}
    </>
  )
  if (isElsewhere) return <span className="audit-target">{words}</span>
  return (
    <button
      className="link-button audit-target"
      onClick={() => open(entry.sessionId, entry.index ?? undefined)}
      type="button"
    >
      {words}
    </button>
  )
}

/** What had to hold, in the words of the screens; names that newer versions write are shown as they are. */
function guardOf(entry: AuditEntry): string {
  return Object.entries(entry.guard)
    .flatMap(([name, value]) => wordsOf(name, value))
    .join(', ')
}

function wordsOf(name: string, value: AuditEntry['guard'][string]): string[] {
  switch (name) {
    case 'ifLastIndex':
      return [`head still #${value}`]
    case 'clearIndex':
      return [`cleared at #${value}`]
    case 'isDead':
      return ['still dead']
    case 'createClearsTable':
      return value === true ? ['may create a2_clears'] : []
    default:
      return [`${name} ${value}`]
  }
}

const SHAPES = {
  done: 'processed',
  'already-done': 'settled',
  refused: 'blocked',
  stopped: 'blocked',
  failed: 'dead',
} as const

function Outcome({ entry }: { readonly entry: AuditEntry }) {
  const outcome = entry.hasOutcome ? (entry.outcome ?? 'unknown') : 'unknown'
  const shape = new Map<string, (typeof SHAPES)[keyof typeof SHAPES]>(Object.entries(SHAPES)).get(
    outcome,
  )
  return (
    <span className="outcome" data-outcome={outcome}>
      <StateShape shape={shape ?? 'expired'} />
      {outcome.replace('-', ' ')}
    </span>
  )
}
