import type { Footprint, PostgresFootprint, SqliteFootprint } from '../../src/model/footprint.ts'
import { formatBytes, formatClock, formatCount, formatDuration, plural } from './format.ts'

type Zone = 'local' | 'utc'
type Lines = readonly (readonly [string, string])[]

/** The few words for the status bar, the most telling first. */
export function footprintWords(footprint: Footprint): readonly string[] {
  const { lastQuery, refreshMs } = footprint
  return [
    ...(footprint.dialect === 'sqlite' ? fileWords(footprint) : serverWords(footprint)),
    ...(lastQuery === null ? [] : [formatFine(lastQuery.tookMs)]),
    ...(refreshMs === null ? [] : [`every ${formatDuration(refreshMs)}`]),
    plural(footprint.rowsRead, 'row read', 'rows read'),
  ]
}

function fileWords(footprint: SqliteFootprint): readonly string[] {
  const { openHandles, openTransactions, walBytes, walGrowthBytes } = footprint
  return [
    openHandles === 0 ? 'no handle' : plural(openHandles, 'handle'),
    ...(openTransactions === 0 ? [] : [plural(openTransactions, 'transaction')]),
    ...(walBytes === null ? [] : [`WAL ${formatBytes(walBytes)}${growth(walGrowthBytes)}`]),
  ]
}

function growth(bytes: number): string {
  if (bytes === 0) return ''
  return ` (${bytes > 0 ? '+' : '−'}${formatBytes(Math.abs(bytes))})`
}

function serverWords({ connections, holdings }: PostgresFootprint): readonly string[] {
  return [
    plural(connections, 'connection'),
    ...(holdings === null
      ? []
      : [
          plural(holdings.locks, 'lock'),
          ...(holdings.oldestTransactionMs === null
            ? []
            : [`transaction open ${formatDuration(holdings.oldestTransactionMs)}`]),
        ]),
  ]
}

/** All of it, name by name. */
export function footprintLines(footprint: Footprint, zone: Zone): Lines {
  const { lastQuery, refreshMs, rowsRead, since } = footprint
  const own =
    footprint.dialect === 'sqlite' ? fileLines(footprint, zone) : serverLines(footprint, zone)
  return [
    ...own,
    [
      'last query',
      lastQuery === null
        ? 'none yet'
        : `${formatFine(lastQuery.tookMs)}, at ${formatClock(lastQuery.at, zone)}`,
    ],
    ['rows read', `${formatCount(rowsRead)} since ${formatClock(since, zone)}`],
    ['looks for changes', looks(footprint.dialect, refreshMs)],
  ]
}

function looks(dialect: Footprint['dialect'], refreshMs: number | null): string {
  if (refreshMs === null) return 'not now: nobody watches'
  const every = `every ${formatDuration(refreshMs)}`
  return dialect === 'sqlite' ? `when the folder tells of one, and ${every}` : every
}

function fileLines(footprint: SqliteFootprint, zone: Zone): Lines {
  const { openHandles, openTransactions, walBytes, walGrowthBytes, since } = footprint
  return [
    ['open handles', `${count(openHandles)}${longest(footprint.longestHandleMs)}`],
    ['transactions', `${count(openTransactions)}${longest(footprint.longestTransactionMs)}`],
    ['-wal', walBytes === null ? 'none' : formatBytes(walBytes)],
    ['-wal grew by', `${signed(walGrowthBytes)} since ${formatClock(since, zone)}, whoever wrote`],
  ]
}

function serverLines({ connections, holdings }: PostgresFootprint, zone: Zone): Lines {
  if (holdings === null) {
    return [
      ['connections', String(connections)],
      ['locks held', 'not known now'],
    ]
  }
  const { locks, oldestTransactionMs, at } = holdings
  const asOf = `as of ${formatClock(at, zone)}`
  return [
    ['connections', String(connections)],
    ['locks held', `${count(locks)}, ${asOf}`],
    [
      'oldest snapshot',
      oldestTransactionMs === null
        ? `none: no transaction is open, ${asOf}`
        : `of a transaction open for ${formatDuration(oldestTransactionMs)}, ${asOf}`,
    ],
  ]
}

function count(number: number): string {
  return number === 0 ? 'none' : formatCount(number)
}

function longest(ms: number): string {
  return ms === 0 ? '' : `; the longest was open for ${formatFine(ms)}`
}

function signed(bytes: number): string {
  if (bytes === 0) return '0 B'
  return `${bytes > 0 ? '' : '−'}${formatBytes(Math.abs(bytes))}`
}

/** A few milliseconds with their tenths. */
function formatFine(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : formatDuration(ms)
}
