import { useQueries } from '@tanstack/react-query'
import type { QueryFunctionContext, QueryKey, UseQueryResult } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { isNotFound } from '../api/errors.ts'
import { PAGE_ROWS } from './page-rows.ts'

/** Rows of earlier readings that are remembered; the list itself may have a million. */
const MOST_REMEMBERED = 20 * PAGE_ROWS

export interface PageQuery<Row> {
  readonly queryKey: QueryKey
  readonly queryFn: (context: QueryFunctionContext) => readonly Row[] | Promise<readonly Row[]>
}

interface PagesInput<Row> {
  /** Names the list; rows of an earlier freeze of the same list stand in until the new ones arrive. */
  readonly listKey: string
  readonly total: number
  /** First and last visible position. */
  readonly first: number
  readonly last: number
  readonly query: (offset: number) => PageQuery<Row>
}

interface Pages<Row> {
  /** The row at a position; undefined while it is on its way. */
  readonly rowAt: (position: number) => Row | undefined
  readonly error: unknown
  readonly refetch: () => void
}

/** The pages of a long list around what is visible; only these are read, and read again on changes. */
export function usePages<Row>({ listKey, total, first, last, query }: PagesInput<Row>): Pages<Row> {
  const offsets = offsetsOf(first, Math.min(last, total - 1))
  const pages = useQueries({
    queries: offsets.map((offset) => {
      const { queryKey, queryFn } = query(offset)
      return { queryKey, queryFn: async (context: QueryFunctionContext) => await queryFn(context) }
    }),
  })
  const [memory] = useState(() => new RowMemory<Row>())
  const fresh = new Map<number, Row>()
  for (const [place, page] of pages.entries()) {
    const offset = offsets[place] ?? 0
    for (const [row, value] of (page.data ?? []).entries()) fresh.set(offset + row, value)
  }
  useEffect(() => memory.remember(listKey, fresh))
  return {
    rowAt: (position) =>
      fresh.get(position) ?? (position < total ? memory.recall(listKey, position) : undefined),
    error: errorOf(pages),
    refetch: () => {
      for (const page of pages) if (page.isError) void page.refetch()
    },
  }
}

/** Rows that are shown need no error beside them, unless their frozen view is gone. */
function errorOf(pages: readonly UseQueryResult[]): unknown {
  const failed = pages.find(
    ({ error, data }) => error !== null && (data === undefined || isNotFound(error)),
  )
  return failed?.error ?? null
}

class RowMemory<Row> {
  #listKey = ''
  readonly #rows = new Map<number, Row>()

  recall(listKey: string, position: number): Row | undefined {
    return listKey === this.#listKey ? this.#rows.get(position) : undefined
  }

  remember(listKey: string, rows: ReadonlyMap<number, Row>): void {
    if (listKey !== this.#listKey || this.#rows.size > MOST_REMEMBERED) this.#rows.clear()
    this.#listKey = listKey
    for (const [position, row] of rows) this.#rows.set(position, row)
  }
}

function offsetsOf(first: number, last: number): number[] {
  const offsets: number[] = []
  const from = Math.max(0, Math.floor(first / PAGE_ROWS) * PAGE_ROWS)
  for (let offset = from; offset <= last; offset += PAGE_ROWS) offsets.push(offset)
  return offsets
}
