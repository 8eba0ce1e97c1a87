import { existsSync } from 'node:fs'

import { sqlite } from '../store/sqlite/store.ts'
import { runLiveApp } from './live-app.ts'
import { makeRandom } from './random.ts'
import { seedSample } from './seed.ts'

const DAY_MS = 86_400_000

/** A child process: `sample-process <path>`. Writes the sample if it is missing, says `ready`, keeps writing until told `stop`. */
async function main(path: string): Promise<void> {
  const ended = new AbortController()
  listenForStop(() => ended.abort())
  if (!existsSync(path)) await seed(path)
  const store = sqlite({ path })
  tellParent('ready')
  try {
    await runLiveApp(store, makeRandom(Date.now()), ended.signal)
  } finally {
    await store.close()
  }
  process.exit(0)
}

/** History is written by a store whose clock runs through the day before now. */
async function seed(path: string): Promise<void> {
  let now = Date.now() - DAY_MS
  const clock = {
    now: () => new Date(Math.min(now, Date.now())),
    advance: (ms: number) => {
      now += ms
    },
  }
  const store = sqlite({ path, clock })
  try {
    await seedSample(store, clock, makeRandom(118))
  } finally {
    await store.close()
  }
}

function listenForStop(stop: () => void): void {
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  process.once('disconnect', stop)
  process.on('message', (message) => {
    if (message === 'stop') stop()
  })
  parentPort()?.on('message', (event: { data: unknown }) => {
    if (event.data === 'stop') stop()
  })
}

function tellParent(message: string): void {
  process.send?.(message)
  parentPort()?.postMessage(message)
}

/** Present when Electron forked us as a utility process. */
function parentPort(): ParentPort | undefined {
  const port: unknown = Reflect.get(process, 'parentPort')
  return isParentPort(port) ? port : undefined
}

interface ParentPort {
  on(event: 'message', listener: (event: { data: unknown }) => void): void
  postMessage(message: unknown): void
}

function isParentPort(port: unknown): port is ParentPort {
  return typeof port === 'object' && port !== null && 'on' in port && 'postMessage' in port
}

const [, , path] = process.argv
if (path === undefined) {
  process.stderr.write('usage: sample-process <path of the database>\n')
  process.exit(2)
}
void main(path)
