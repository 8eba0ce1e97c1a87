import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

import { openWindowState } from '../../electron/window-state.ts'

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'a2-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const bounds = { x: -5, y: 7, width: 900, height: 700 }

test('what a window remembers is there after a restart', () => {
  const folder = makeFolder()
  const state = openWindowState(folder)
  state.setPlace('a', 'app://inspector/d/a/1')
  state.setPlace('b', 'app://inspector/d/b')
  state.setPlace('a', 'app://inspector/d/a/2')
  state.update({ bounds, isMaximized: true, theme: 'dark' })
  const again = openWindowState(folder)
  expect(again.current).toMatchObject({ bounds, isMaximized: true, theme: 'dark' })
  expect(again.findPlace('a')).toBe('app://inspector/d/a/2')
  expect(again.findPlace('b')).toBe('app://inspector/d/b')
  expect(again.findPlace('c')).toBeUndefined()
  expect(readdirSync(folder)).toStrictEqual(['window-state.json'])
})

test('places are kept for the last fifty databases', () => {
  const state = openWindowState(makeFolder())
  for (let index = 0; index <= 50; index += 1) state.setPlace(`id${index}`, 'app://inspector/')
  expect(state.findPlace('id0')).toBeUndefined()
  expect(state.findPlace('id1')).toBe('app://inspector/')
})

test.for(['', 'null', '[]', '{"theme":"pink","bounds":{"x":"a"},"isMaximized":1,"places":{}}'])(
  'a damaged file (%j) is an empty one',
  (text) => {
    const folder = makeFolder()
    writeFileSync(join(folder, 'window-state.json'), text)
    expect(openWindowState(folder).current).toStrictEqual({
      theme: 'system',
      bounds: null,
      isMaximized: false,
      places: [],
    })
  },
)

test('one damaged part costs that part only', () => {
  const folder = makeFolder()
  writeFileSync(join(folder, 'window-state.json'), JSON.stringify({ bounds, theme: 7 }))
  expect(openWindowState(folder).current).toMatchObject({ bounds, theme: 'system' })
})
