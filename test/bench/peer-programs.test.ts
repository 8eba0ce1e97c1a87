import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'

import { findDrizzleKit } from '../../bench/children/drizzle-studio.ts'
import { missing } from '../../bench/goals/peer-programs.ts'

afterEach(() => vi.unstubAllEnvs())

describe('programs of others', () => {
  test('the first that is not installed is named, as people call it', () => {
    expect(missing('sh')).toBeUndefined()
    expect(missing('sh', 'a2-no-such-program', 'sh')).toStrictEqual({
      kind: 'not-measured',
      why: 'a2-no-such-program is not installed',
    })
    vi.stubEnv('PATH', tmpdir())
    expect(missing('sqlitebrowser')).toStrictEqual({
      kind: 'not-measured',
      why: 'DB Browser is not installed',
    })
  })

  test('drizzle-kit is taken from the folder that is named', () => {
    const folder = mkdtempSync(join(tmpdir(), 'a2-bench-'))
    vi.stubEnv('A2_BENCH_DRIZZLE_KIT', folder)
    const program = join(folder, 'node_modules', 'drizzle-kit', 'bin.cjs')
    expect(findDrizzleKit()).not.toBe(program)
    mkdirSync(dirname(program), { recursive: true })
    writeFileSync(program, '')
    expect(findDrizzleKit()).toBe(program)
    rmSync(folder, { recursive: true })
  })
})
