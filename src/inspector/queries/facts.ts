import { basename } from 'node:path'

import type { SqliteFacts } from '../../model/database.ts'
import type { FileStamp } from '../file-watch.ts'
import type { Scope } from '../handle.ts'
import { readMarkerType } from './judge.ts'

/** `before`: what the file system said before any handle of ours was open. */
export function readFacts(scope: Scope, path: string, before: FileStamp | null): SqliteFacts {
  const { handle, schema } = scope
  const marker = readMarkerType(scope)
  const journalMode =
    handle.get<{ journal_mode: string }>('pragma journal_mode')?.journal_mode ?? 'unknown'
  return {
    dialect: 'sqlite',
    path,
    name: basename(path),
    fileBytes: before?.fileBytes ?? 0,
    walBytes: before?.walBytes ?? null,
    journalMode,
    pageBytes: handle.get<{ page_size: number }>('pragma page_size')?.page_size ?? 0,
    sqliteVersion: handle.get<{ v: string }>('select sqlite_version() as v')?.v ?? '',
    schema: schema.version,
    eventsUpperBound: readMaxRowid(scope),
    markerType: marker.type,
    isMarkerTypeLearned: marker.isLearned,
    unknownTables: schema.unknownTables,
    unknownColumns: schema.unknownColumns,
    missingColumns: schema.missingColumns,
    hasWorkIndex: schema.hasWorkIndex,
    // Reading a WAL-mode file makes SQLite leave an empty -wal beside it.
    isWalAbsent: journalMode === 'wal' && (before === null || !before.walBytes),
  }
}

/** 0 in an empty table; null without rowids. */
export function readMaxRowid({ handle, schema }: Scope): number | null {
  const { rowid } = schema.events
  if (rowid === null) return null
  return handle.get<{ n: number | null }>(`select max(${rowid}) as n from a2_events`)?.n ?? 0
}

/** The highest number of a row up to this one: there may be no rows for a long way. null: none. For tables with rowids. */
export function findRowidThrough({ handle, schema }: Scope, through: number): number | null {
  const rowid = schema.events.rowid ?? ''
  const row = handle.get<{ n: number | null }>(
    `select max(${rowid}) as n from a2_events not indexed where ${rowid} > 0 and ${rowid} <= ?`,
    [through],
  )
  return row?.n ?? null
}
