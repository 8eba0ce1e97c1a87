import { expect, test } from 'vitest'

import { TROUBLE_KINDS } from './database.ts'
import { describeTrouble } from './describe-trouble.ts'

test.each(TROUBLE_KINDS)('%s says what happened, what is untouched and the next step', (kind) => {
  const text = describeTrouble({ kind, code: null })
  expect(text.title).toMatch(/^\S.{3,40}[^.]$/)
  for (const sentence of [text.what, text.untouched, text.next]) {
    expect(sentence).toMatch(/^[A-Z].*\.$/)
    expect(sentence).not.toMatch(/undefined|null|\bError\b|stack/)
  }
})

test('no two kinds are told with the same title', () => {
  const titles = TROUBLE_KINDS.map((kind) => describeTrouble({ kind, code: null }).title)
  expect(new Set(titles).size).toBe(TROUBLE_KINDS.length)
})

test('a missing column is named', () => {
  const { what } = describeTrouble({ kind: 'column-missing', code: 'a2_events.payload' })
  expect(what).toContain('a2_events.payload')
})

test('a password file that was left out is named, with what to do', () => {
  const text = describeTrouble({
    kind: 'password-missing',
    code: 'open-to-others',
    detail: '/home/me/.pgpass',
  })
  expect(text.what).toBe(
    'The server asks for a password. The password file /home/me/.pgpass was left out: others may read it.',
  )
  expect(text.next).toContain('chmod 600')
  const none = describeTrouble({ kind: 'password-missing', code: null, detail: '/home/me/.pgpass' })
  expect(none.what).not.toContain('.pgpass')
})

test('a stop that nobody confirmed does not claim that the server stopped', () => {
  expect(describeTrouble({ kind: 'cancelled', code: null }).what).toBe(
    'The statement was cancelled on the server.',
  )
  const { what, next } = describeTrouble({ kind: 'cancelled', code: 'unconfirmed' })
  expect(what).toContain('did not confirm')
  expect(next).toContain('at its own limit')
})
