import type { DatabaseFacts, PostgresFacts, SqliteFacts } from '../../../src/model/database.ts'
import { formatBytes, plural } from '../../lib/format.ts'

export type Lines = readonly (readonly [string, string])[]

/** What is known about a database, name by name. */
export function linesOf(facts: DatabaseFacts): Lines {
  return [
    [facts.dialect === 'postgres' ? 'server' : 'path', facts.path],
    ...(facts.dialect === 'postgres' ? serverLines(facts) : fileLines(facts)),
    ['a2 schema', facts.schema],
    [
      'clear marker',
      `${facts.markerType}${facts.isMarkerTypeLearned ? '' : ' (assumed; none stored yet)'}`,
    ],
    [
      'work index',
      facts.hasWorkIndex
        ? 'yes, unfinished events are found at once'
        : 'no, unfinished events are counted by reading all rows',
    ],
    ...listed('unknown tables', facts.unknownTables),
    ...listed('unknown columns', facts.unknownColumns),
    ...listed('missing columns', facts.missingColumns),
  ]
}

export function FactLines({ lines }: { readonly lines: Lines }) {
  return (
    <dl className="facts-list">
      {lines.map(([name, value]) => (
        <FactLine key={name} name={name} value={value} />
      ))}
    </dl>
  )
}

function FactLine({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="isolate">{value}</dd>
    </>
  )
}

function listed(name: string, values: readonly string[]): Lines {
  return values.length === 0 ? [] : [[name, values.join(', ')]]
}

function fileLines(facts: SqliteFacts): Lines {
  const wal = facts.walBytes === null ? '' : ` + ${formatBytes(facts.walBytes)} in -wal`
  const page = plural(facts.pageBytes, 'byte')
  return [
    ['size', `${formatBytes(facts.fileBytes)}${wal}, ${page} a page`],
    ['SQLite', `${facts.sqliteVersion}, ${facts.journalMode} journal`],
  ]
}

function serverLines(facts: PostgresFacts): Lines {
  const { tls, clockDifferenceMs: difference } = facts
  return [
    [
      'Postgres',
      `${facts.serverVersion}${facts.isStandby ? ', a standby: it takes no writes' : ''}`,
    ],
    ['database', `${facts.database}, schema ${facts.schemaName}`],
    ['user', `${facts.user}${facts.canWrite ? '' : ', without the right to write'}`],
    ['size', `${formatBytes(facts.sizeBytes)} of a2 tables and indexes`],
    ['encryption', tls === null ? 'none' : `${tls.protocol}, ${tls.cipher}`],
    ['connections', `${facts.connections} of this user by this program, other windows included`],
    ['latency', `${facts.latencyMs.toFixed(1)} ms`],
    ...(Math.abs(difference) > 2000
      ? [['clock', `${(difference / 1000).toFixed(1)} s apart from this machine`] as const]
      : []),
  ]
}
