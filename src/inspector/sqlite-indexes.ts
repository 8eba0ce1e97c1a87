import type { ReadHandle } from '../store/sqlite/open.ts'

const EVENT_ID_PROBE = `select 1 from a2_events where event_id = 'x'`
const WORK_PROBE = `select idx from a2_events
  where processed_at is null and (session_id, idx) > ('', 1) order by session_id, idx`

/** An event id is looked up through an index. */
export function findIdIndex(handle: ReadHandle): boolean {
  return planOf(handle, EVENT_ID_PROBE).startsWith('SEARCH ')
}

/** The planner must choose a partial index whose first columns are (session_id, idx) for the very shape we ask in. */
export function findWorkIndex(handle: ReadHandle): boolean {
  const partial = handle.all<{ name: string }>(
    `select name from pragma_index_list('a2_events') where partial = 1`,
  )
  const plan = planOf(handle, WORK_PROBE)
  return partial.some(({ name }) => {
    const columns = handle
      .all<{ name: string | null }>('select name from pragma_index_info(?) order by seqno', [name])
      .map((column) => column.name?.toLowerCase())
    if (columns[0] !== 'session_id' || columns[1] !== 'idx') return false
    return [` INDEX ${name} `, ` INDEX ${name}\n`].some((text) => `${plan}\n`.includes(text))
  })
}

function planOf(handle: ReadHandle, sql: string): string {
  return handle
    .all<{ detail: string }>(`explain query plan ${sql}`)
    .map(({ detail }) => detail)
    .join('\n')
}
