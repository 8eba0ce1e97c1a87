import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll } from 'vitest'

import type { SettingsChoices } from '../../../src/model/connection-settings.ts'
import type { DatabaseTrouble } from '../../../src/model/database.ts'
import {
  type CredentialOptions,
  makeCredentials,
} from '../../../src/store/postgres/connect/credentials.ts'
import type { Machine } from '../../../src/store/postgres/connect/local-files.ts'
import { resolveSettings } from '../../../src/store/postgres/connect/resolve-settings.ts'
import type { TargetOptions } from '../../../src/store/postgres/connect/target.ts'
import { StoreTrouble } from '../../../src/store/trouble.ts'

const homes = mkdtempSync(join(tmpdir(), 'a2-homes-'))
afterAll(() => rmSync(homes, { recursive: true, force: true }))

/** A machine with an empty home and nothing in its environment but the path. */
export function emptyMachine(env: Record<string, string> = {}): Machine {
  const home = mkdtempSync(join(homes, 'home-'))
  return { env: { PATH: process.env['PATH'], ...env }, home, user: 'nobody' }
}

export interface Given extends SettingsChoices {
  readonly machine?: Machine
  readonly credentials?: Partial<CredentialOptions>
}

/** All that is needed to connect, from a URL as a person types it. */
export async function targetOf(text: string, given: Given = {}): Promise<TargetOptions> {
  const machine = given.machine ?? emptyMachine()
  const resolved = await resolveSettings({ text }, machine, given)
  if (!resolved.ok) throw new Error(resolved.problem.code)
  const { settings, password, keyPassphrase } = resolved
  const options = { machine, password, keyPassphrase, ...given.credentials }
  return { settings, machine, credentials: makeCredentials(settings, options) }
}

/** The trouble a promise is rejected with; anything else is a failure of the test. */
export async function troubleOf(promise: Promise<unknown>): Promise<DatabaseTrouble> {
  return (await storeTroubleOf(promise)).trouble
}

export async function storeTroubleOf(promise: Promise<unknown>): Promise<StoreTrouble> {
  try {
    await promise
  } catch (error) {
    if (error instanceof StoreTrouble) return error
    throw error
  }
  throw new Error('it was not rejected')
}

/** Runs statements as the server's owner. */
export async function administer<Row extends object>(
  connectionString: string,
  ...statements: readonly string[]
): Promise<Row[]> {
  const client = new Client({ connectionString, application_name: 'a2-test' })
  await client.connect()
  try {
    let rows: Row[] = []
    for (const statement of statements) ({ rows } = await client.query<Row>(statement))
    return rows
  } finally {
    await client.end()
  }
}

/** Asks again until it holds; the deadline of the test is the only one. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resume) => setTimeout(resume, 20))
}
