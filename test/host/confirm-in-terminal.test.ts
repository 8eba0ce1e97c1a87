import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'

import { confirmInTerminal } from '../../src/host/confirm-in-terminal.ts'

const QUESTION = {
  purpose: 'password',
  connection: 'postgres://app@db.example/app',
  command: '"pass"\n"show"\n"staging/db"',
} as const

function makeTerminal(isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY })
  const output = new PassThrough()
  let printed = ''
  output.setEncoding('utf8').on('data', (text: string) => (printed += text))
  return { input, output, printed: () => printed }
}

test.each([
  ['yes\n', true],
  [' YES \n', true],
  ['y\n', false],
  ['no\n', false],
  ['\n', false],
])('typed %j: %s', async (typed, expected) => {
  const { input, output, printed } = makeTerminal(true)
  const answer = confirmInTerminal({ input, output })(QUESTION)
  input.write(typed)
  expect(await answer).toBe(expected)
  expect(printed()).toContain('to get the password of postgres://app@db.example/app:')
  expect(printed()).toContain('"pass"\n"show"\n"staging/db"')
})

test('one question after the other', async () => {
  const { input, output } = makeTerminal(true)
  const confirm = confirmInTerminal({ input, output })
  const first = confirm(QUESTION)
  input.write('yes\n')
  expect(await first).toBe(true)
  const second = confirm(QUESTION)
  input.write('no\n')
  expect(await second).toBe(false)
})

test('nobody is there', async () => {
  const { input, output, printed } = makeTerminal(false)
  input.write('yes\n')
  expect(await confirmInTerminal({ input, output })(QUESTION)).toBe(false)
  expect(printed()).toContain('there is no terminal to ask in')
})

test('nobody answers', async () => {
  const { input, output, printed } = makeTerminal(true)
  const confirm = confirmInTerminal({ input, output, patienceMs: 20 })
  expect(await confirm(QUESTION)).toBe(false)
  expect(printed()).toContain('Nobody answered')
})
