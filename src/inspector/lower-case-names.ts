import type { ReadHandle } from '../store/sqlite/open.ts'

/**
 * SQLite finds columns in whatever case they are asked for and answers with the case of the table's
 * definition. For tables that are not written in lower case: the names we asked for.
 */
export function withLowerCaseNames(handle: ReadHandle): ReadHandle {
  return {
    all: <Row>(...question: Parameters<ReadHandle['all']>) => {
      const rows = handle.all<Row>(...question)
      for (const row of rows) lowerCaseNames(row)
      return rows
    },
    lists: (...question) => handle.lists(...question),
    get: (...question) => {
      const row = handle.get<never>(...question)
      if (row !== undefined) lowerCaseNames(row)
      return row
    },
    snapshot: (run) => handle.snapshot(run),
    close: () => handle.close(),
  }
}

function lowerCaseNames(row: unknown): void {
  if (row === null || typeof row !== 'object') return
  for (const [name, value] of Object.entries(row)) {
    if (name === name.toLowerCase()) continue
    Reflect.deleteProperty(row, name)
    Reflect.set(row, name.toLowerCase(), value)
  }
}
