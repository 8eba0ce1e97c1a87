import type { ReadHandle } from '../store/sqlite/open.ts'

const EVENT_ID_PROBE = `select 1 from a2_events where event_id = 'x'`

export type Term = 'processed_at is null' | 'failed_at is null' | 'failed_at is not null'

/** Which events an index counts by itself: all unfinished ones, or those of them that are no dead letters. */
export type CountedBy = 'unfinished' | 'pending'

export const TERMS: Readonly<Record<CountedBy, readonly Term[]>> = {
  unfinished: ['processed_at is null'],
  pending: ['processed_at is null', 'failed_at is null'],
}
export const DEAD: readonly Term[] = ['processed_at is null', 'failed_at is not null']

/** What can be counted through indexes before any row is looked at. */
export interface IndexCounts {
  /** null: no index has all that is needed, or the planner does not choose it. */
  readonly by: CountedBy | null
  /** So many dead letters may be counted in one go; 0: no index on them. */
  readonly maxDead: number
}

interface PartialIndex {
  readonly name: string
  /** In lower case; null stands for an expression. */
  readonly columns: readonly (string | null | undefined)[]
  /** What holds of every row in it; empty where that is something else than a list of such terms. */
  readonly terms: readonly string[]
}

/** An event id is looked up through an index. */
export function findIdIndex(handle: ReadHandle): boolean {
  return planOf(handle, EVENT_ID_PROBE).startsWith('SEARCH ')
}

/** The planner must choose a partial index whose first columns are (session_id, idx) for the very shape we ask in. */
export function findWorkIndex(handle: ReadHandle): boolean {
  const chosen = chosenIndex(handle, readPartial(handle), keyProbe(TERMS.unfinished))
  return chosen?.columns[0] === 'session_id' && chosen.columns[1] === 'idx'
}

const MAX_DEAD = { alone: 100_000, withRows: 10_000 }

/** Any name will do: what counts is what an index holds. */
export function findIndexCounts(handle: ReadHandle): IndexCounts {
  const partial = readPartial(handle)
  const isAlone = (by: CountedBy): boolean => {
    const chosen = chosenIndex(handle, partial, keyProbe(TERMS[by]))
    return chosen?.columns[0] === 'session_id' && hasAll(chosen, TERMS[by])
  }
  const dead = chosenIndex(
    handle,
    partial,
    `select session_id, idx from a2_events where ${DEAD.join(' and ')}`,
  )
  let maxDead = 0
  if (dead !== null && hasAll(dead, DEAD)) maxDead = MAX_DEAD.alone
  else if (dead?.terms.includes('failed_at is not null') === true) maxDead = MAX_DEAD.withRows
  if (isAlone('unfinished')) return { by: 'unfinished', maxDead }
  return { by: maxDead > 0 && isAlone('pending') ? 'pending' : null, maxDead }
}

function keyProbe(terms: readonly Term[]): string {
  return `select session_id, idx from a2_events
    where ${terms.join(' and ')} and (session_id, idx) > ('', 1) order by session_id, idx`
}

/** Whether the index answers by itself which events these are. */
function hasAll({ columns, terms }: PartialIndex, wanted: readonly Term[]): boolean {
  const has = (column: string): boolean => columns.includes(column)
  if (!has('session_id') || !has('idx')) return false
  return wanted.every((term) => terms.includes(term) || has(term.slice(0, term.indexOf(' '))))
}

function chosenIndex(
  handle: ReadHandle,
  partial: readonly PartialIndex[],
  sql: string,
): PartialIndex | null {
  const plan = `${planOf(handle, sql)}\n`
  const isChosen = ({ name }: PartialIndex): boolean =>
    [` INDEX ${name} `, ` INDEX ${name}\n`].some((text) => plan.includes(text))
  return partial.find(isChosen) ?? null
}

function readPartial(handle: ReadHandle): PartialIndex[] {
  const stored = handle.lists(
    `select l.name, s.sql from pragma_index_list('a2_events') l
     join sqlite_schema s on s.type = 'index' and s.name = l.name where l.partial = 1`,
  )
  return stored.map(([name, sql]) => ({
    name: String(name),
    columns: handle
      .lists('select name from pragma_index_info(?) order by seqno', [String(name)])
      .map(([column]) => (typeof column === 'string' ? column.toLowerCase() : null)),
    terms: termsOf(String(sql)),
  }))
}

/** Read only where nothing can be misread: a list of null tests of plain columns. */
function termsOf(sql: string): string[] {
  const [, condition = ''] = /^.*\bwhere\b(.*)$/is.exec(sql) ?? []
  const terms = condition.trim().toLowerCase().replaceAll(/\s+/g, ' ').split(' and ')
  const plain = terms.map((term) => /^("?)(\w+)\1 (is (?:not )?null)$/.exec(term))
  return plain.every((term) => term !== null)
    ? plain.map(([, , name, test]) => `${name} ${test}`)
    : []
}

function planOf(handle: ReadHandle, sql: string): string {
  return handle
    .all<{ detail: string }>(`explain query plan ${sql}`)
    .map(({ detail }) => detail)
    .join('\n')
}
