import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

import { makeSampleLauncher } from '../../src/shell/sample-launcher.ts'
import { makeTempFolder } from './temp-folder.ts'

const POLITE = `process.on('message', (message) => { if (message === 'stop') process.exit(0) })
process.send('ready')`
const STUBBORN = `process.on('message', () => {}); process.send('ready')`
const BROKEN = 'process.exit(1)'

/** A launcher over real child processes that run the script. */
function setUp(script: string, graceMs = 20) {
  const folder = makeTempFolder()
  const file = join(folder, 'sample.cjs')
  writeFileSync(file, script)
  const path = join(folder, 'sample', '.a2', 'dev.db')
  const started: ChildProcess[] = []
  const launcher = makeSampleLauncher({
    path,
    graceMs,
    stopMs: 200,
    fork(database) {
      expect(existsSync(dirname(database))).toBe(true)
      const child = fork(file, [database])
      started.push(child)
      return {
        onMessage: (listener) => void child.on('message', listener),
        onExit: (listener) => void child.on('exit', listener),
        send: (message) => void child.send(message),
        kill: () => void child.kill('SIGKILL'),
      }
    },
  })
  onTestFinished(() => {
    for (const child of started) child.kill('SIGKILL')
  })
  return { launcher, started, path }
}

test('it is started once for all who look, and told to stop when the last has gone', async () => {
  const { launcher, started, path } = setUp(POLITE)
  launcher.acquire()
  launcher.acquire()
  await launcher.prepare()
  expect(started).toHaveLength(1)
  expect(started[0]?.spawnargs.at(-1)).toBe(path)
  launcher.release()
  launcher.release()
  expect(await once(started[0] as ChildProcess, 'exit')).toStrictEqual([0, null])
})

test('while one still looks, it runs on', async () => {
  const { launcher, started } = setUp(POLITE)
  launcher.acquire()
  launcher.acquire()
  await launcher.prepare()
  launcher.release()
  // As long again as it would take to end if nobody looked.
  await new Promise((resolve) => setTimeout(resolve, 40))
  expect(started[0]).toMatchObject({ exitCode: null, signalCode: null })
  await launcher.stop()
  expect(started[0]?.exitCode).toBe(0)
})

test('prepared but never looked at, it ends by itself', async () => {
  const { launcher, started } = setUp(POLITE)
  await launcher.prepare()
  expect(await once(started[0] as ChildProcess, 'exit')).toStrictEqual([0, null])
})

test('one that does not listen is killed', async () => {
  const { launcher, started } = setUp(STUBBORN)
  launcher.acquire()
  await launcher.prepare()
  await launcher.stop()
  expect(started[0]?.signalCode).toBe('SIGKILL')
})

test('one that ends before it is ready is said, and the next try starts another', async () => {
  const { launcher, started } = setUp(BROKEN)
  await expect(launcher.prepare()).rejects.toThrow('ended before its database was ready')
  await expect(launcher.prepare()).rejects.toThrow('ended before its database was ready')
  expect(started).toHaveLength(2)
})

test('stopping what does not run is fine', async () => {
  const { launcher, started } = setUp(POLITE)
  await launcher.stop()
  launcher.release()
  expect(started).toStrictEqual([])
})
