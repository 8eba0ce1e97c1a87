import { Popover } from '@base-ui/react/popover'

import type { DatabaseFacts, PostgresFacts, SqliteFacts } from '../../../src/model/database.ts'
import { useLiveValue } from '../../api/use-live.ts'
import { formatBytes, plural } from '../../lib/format.ts'
import { ChipButton, Dot } from '../../ui/chip.tsx'

interface DatabaseChipProps {
  readonly path: string
  readonly isSample: boolean
  readonly facts: DatabaseFacts | undefined
}

/** Which database this is; opens what is known about the file. */
export function DatabaseChip({ path, isSample, facts }: DatabaseChipProps) {
  const isInTrouble = useLiveValue((state) => state.trouble !== null)
  const tone = isInTrouble ? 'warning' : facts === undefined ? 'off' : 'good'
  return (
    <Popover.Root>
      <Popover.Trigger
        render={
          <ChipButton title={path}>
            <Dot tone={tone} />
            <span className="database-chip cut">
              <span className="dialect">
                {facts?.dialect === 'postgres' ? 'Postgres' : 'SQLite'} ·{' '}
              </span>
              <span className="mono isolate">{isSample ? 'sample' : shorten(path)}</span>
            </span>
          </ChipButton>
        }
      />
      <Popover.Portal>
        <Popover.Positioner align="start" className="positioner" sideOffset={6}>
          <Popover.Popup className="popover">
            <Popover.Title>Database</Popover.Title>
            {facts === undefined ? <p className="dim">Not read yet.</p> : <Facts facts={facts} />}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

/** The file and the folder it is in: enough to tell two apart at a glance. */
function shorten(path: string): string {
  return path.split(/[/\\]/).slice(-2).join('/')
}

function Facts({ facts }: { readonly facts: DatabaseFacts }) {
  const lines: (readonly [string, string])[] = [
    ['path', facts.path],
    ...(facts.dialect === 'postgres' ? serverLines(facts) : fileLines(facts)),
    ['a2 schema', facts.schema],
    [
      'clear marker',
      `${facts.markerType}${facts.isMarkerTypeLearned ? '' : ' (assumed; none stored yet)'}`,
    ],
    [
      'work index',
      facts.hasWorkIndex ? 'yes' : 'no, unfinished events are counted by reading all rows',
    ],
    ...listed('unknown tables', facts.unknownTables),
    ...listed('unknown columns', facts.unknownColumns),
    ...listed('missing columns', facts.missingColumns),
  ]
  return (
    <>
      <dl className="facts-list">
        {lines.map(([name, value]) => (
          <FactLine key={name} name={name} value={value} />
        ))}
      </dl>
      {facts.dialect === 'sqlite' && facts.isWalAbsent && (
        <p className="facts-note">
          Opened in WAL mode with no -wal beside it: closed cleanly, or a copy that lost its newest
          commits. Nothing in the file tells which.
        </p>
      )}
    </>
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

function listed(name: string, values: readonly string[]): (readonly [string, string])[] {
  return values.length === 0 ? [] : [[name, values.join(', ')]]
}

type Lines = readonly (readonly [string, string])[]

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
    ['connections', String(facts.connections)],
    ['latency', `${facts.latencyMs.toFixed(1)} ms, asked every ${facts.pollMs} ms`],
    ...(Math.abs(difference) > 2000
      ? [['clock', `${(difference / 1000).toFixed(1)} s apart from this machine`] as const]
      : []),
  ]
}
