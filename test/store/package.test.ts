import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
let folder: string

function run(args: readonly string[], cwd: string): string {
  return execFileSync(process.execPath, args, { cwd, encoding: 'utf8' })
}

/** A program elsewhere that has this package installed. */
beforeAll(() => {
  const build = "const { build } = await import('./scripts/build.ts'); await build(['store'])"
  run(['--input-type=module', '-e', build], root)
  folder = mkdtempSync(join(tmpdir(), 'a2-package-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/a2-inspector'), 'dir')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

it('is imported by a plain program, which opens both databases', () => {
  const [server] = inject('postgresServers')
  writeFileSync(
    join(folder, 'program.js'),
    `import { A2Error, postgres, sqlite } from 'a2-inspector/store'
     const schema = 'package_' + process.pid
     const stores = [
       sqlite({ path: 'made/dev.db' }),
       postgres({ connectionString: process.argv[2], schema }),
     ]
     for (const store of stores) {
       await store.append('s', [{ type: 'greeting', payload: { hello: 'world' } }])
       const [event] = await store.read('s')
       const refusal = await store.append('s', [{ type: 'a', id: 'x' }, { type: 'b', id: 'x' }])
         .catch((error) => error)
       console.log(event.index, event.payload.hello, refusal instanceof A2Error, refusal.code)
       await store.close()
     }`,
  )
  const output = run(['program.js', server!.connectionString], folder)
  expect(output).toBe('1 world true DUPLICATE_EVENT_ID\n'.repeat(2))
})

it('brings its types', () => {
  writeFileSync(
    join(folder, 'program.ts'),
    `import { sqlite, postgres, type Store, type StoredEvent } from 'a2-inspector/store'
     const store: Store = sqlite({ path: 'x.db' })
     const events: readonly StoredEvent[] = (await store.append('s', [{ type: 'a' }])).events
     export const at: Date | undefined = events[0]?.createdAt
     export const other = postgres({ connectionString: 'postgres://x', schema: 'y' })
     // @ts-expect-error -- an event has a type
     await store.append('s', [{}])
     // @ts-expect-error -- a store is where?
     postgres({})`,
  )
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const options = ['--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext']
  expect(run([compiler, ...options, '--types', '', 'program.ts'], folder)).toBe('')
})
