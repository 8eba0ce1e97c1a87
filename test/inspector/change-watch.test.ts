import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'

import { fileWatch, type Noticed } from '../../src/inspector/change-watch.ts'
import { readIdentity, watchFile } from '../../src/inspector/file-watch.ts'
import { copyFixture, until } from './support/open.ts'
import { insertRows, openApp } from './support/tables.ts'

/** The folder as it is, and how many watch it. */
function makeFolderWatch() {
  const folder = { watchers: 0, events: 0 }
  const watchFolder: typeof watchFile = (path, onChange) => {
    const watcher = watchFile(path, () => {
      folder.events += 1
      onChange()
    })
    folder.watchers += 1
    let isOpen = true
    return {
      close() {
        if (isOpen) folder.watchers -= 1
        isOpen = false
        watcher.close()
      },
    }
  }
  return { folder, watchFolder }
}

test('a steady writer is followed without its every write waking us; afterwards the folder is watched again', async () => {
  const path = copyFixture('small.db')
  const app = openApp(path)
  const { folder, watchFolder } = makeFolderWatch()
  const noticed: Noticed[] = []
  const reader = { path, identity: () => readIdentity(path) }
  const watch = fileWatch(reader, watchFolder)('visible', (one) => noticed.push(one))
  const changes = (): number => noticed.filter(({ hasChanged }) => hasChanged).length
  let index = 0
  const commit = (): void => insertRows(app, [{ session: 'steady', index: (index += 1) }])
  const done = new AbortController()
  const writing = (async () => {
    while (!done.signal.aborted) {
      commit()
      await sleep(2)
    }
  })()

  await until(() => folder.watchers === 0, 'the folder let go')
  const [eventsBefore, changesBefore] = [folder.events, changes()]
  await until(() => changes() >= changesBefore + 5, 'what is written goes on being noticed')
  expect(folder.events).toBe(eventsBefore)

  done.abort()
  await writing
  await until(() => folder.watchers === 1, 'the folder watched again')
  // Whatever the last writes left behind to look at has been looked at.
  await sleep(400)
  const quiet = changes()
  commit()
  await until(() => folder.events > eventsBefore, 'the folder told of it')
  await until(() => changes() > quiet, 'the single commit noticed')
  watch.close()
  expect(folder.watchers).toBe(0)
})

test('closed in the middle of steady writing, nothing is looked at any more', async () => {
  const path = copyFixture('small.db')
  const app = openApp(path)
  const { folder, watchFolder } = makeFolderWatch()
  const noticed: Noticed[] = []
  const reader = { path, identity: () => readIdentity(path) }
  const watch = fileWatch(reader, watchFolder)('visible', (one) => {
    noticed.push(one)
    // Told in the middle of a look.
    if (folder.watchers === 0) watch.close()
  })
  let index = 0
  while (folder.watchers > 0) {
    insertRows(app, [{ session: 'steady', index: (index += 1) }])
    await sleep(2)
  }
  insertRows(app, [{ session: 'steady', index: (index += 1) }])
  await sleep(100)
  const last = noticed.length
  insertRows(app, [{ session: 'steady', index: (index += 1) }])
  await sleep(400)
  expect(noticed).toHaveLength(last)
  expect(folder.watchers).toBe(0)
})
