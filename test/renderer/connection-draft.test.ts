import { describe, expect, test } from 'vitest'

import { joinWords, splitWords } from '../../renderer/features/connect/command-words.ts'
import {
  draftOf,
  editDraft,
  EMPTY_DRAFT,
  toSettings,
  typeText,
} from '../../renderer/features/connect/connection-draft.ts'

describe('a pasted text', () => {
  test('fills the parts', () => {
    const url =
      'postgresql://orders@db-2.example:6432/app?sslmode=verify-full&sslrootcert=/ca.pem&ssh=bastion&schema=shop'
    const draft = typeText(EMPTY_DRAFT, url)
    expect(draft).toMatchObject({
      text: url,
      problem: null,
      host: 'db-2.example',
      port: '6432',
      database: 'app',
      user: 'orders',
      schema: 'shop',
      tlsMode: 'verify-full',
      rootCert: '/ca.pem',
      sshHost: 'bastion',
      environment: 'production',
    })
  })

  test.each([
    ['postgres://u:s3cret@h/d', 'postgres://u@h/d'],
    ['postgres://u:s3cret@h:1/d?sslmode=require', 'postgres://u@h:1/d?sslmode=require'],
    ['postgres://u@h/d?password=s3cret', 'postgres://u@h/d'],
    ['postgres://u@h/d?password=s3cret&schema=s', 'postgres://u@h/d?schema=s'],
    ['postgres://u@h/d?schema=s&password=s3cret', 'postgres://u@h/d?schema=s'],
    ['postgres://u@h/d?p%61ssword=s3cret', 'postgres://u@h:5432/d?sslmode=prefer'],
    ["host=h user=u password='s3cret' dbname=d", 'host=h user=u dbname=d'],
    ['host=h password = s3cret', 'host=h '],
  ])('%s keeps no password', (text, shown) => {
    const draft = typeText(EMPTY_DRAFT, text)
    expect(draft.text).toBe(shown)
    expect(JSON.stringify([draft, ...draft.others])).not.toContain('s3cret')
  })

  test('that cannot be read leaves the parts of before and says why', () => {
    const before = typeText(EMPTY_DRAFT, 'postgres://u@h/d')
    const draft = typeText(before, 'postgres://u@a,b/d')
    expect(draft).toMatchObject({ host: 'h', problem: { code: 'several-hosts' } })
  })

  test('with a demand that cannot be met is refused, not weakened', () => {
    const draft = typeText(EMPTY_DRAFT, 'postgres://u@h/d?channel_binding=require')
    expect(draft.problem).toEqual({ code: 'unsupported', subject: 'channel_binding' })
    expect(toSettings(draft).ok).toBe(false)
  })

  test('with an unknown mode of TLS is refused', () => {
    const draft = typeText(EMPTY_DRAFT, 'postgres://u@h/d?sslmode=strict')
    expect(draft.problem?.code).toBe('tls-mode')
  })
})

describe('edited parts', () => {
  test('are printed as a URL', () => {
    const pasted = typeText(EMPTY_DRAFT, 'postgres://u@h/d')
    const draft = editDraft(pasted, { port: '6000', tlsMode: 'require', sshHost: 'me@jump' })
    expect(draft.text).toBe('postgres://u@h:6000/d?sslmode=require&ssh=me%40jump')
  })

  test('say what is wrong with them', () => {
    expect(editDraft(EMPTY_DRAFT, { host: 'h', port: '70000' }).problem?.code).toBe('port')
    expect(editDraft(EMPTY_DRAFT, { host: 'h', sshHost: '-oProxyCommand=x' }).problem?.code).toBe(
      'ssh-host',
    )
  })

  test('keep the environment a person chose, and guess the most delicate one until then', () => {
    const guessed = editDraft(EMPTY_DRAFT, { host: 'db.example' })
    expect(guessed.environment).toBe('production')
    const chosen = editDraft(guessed, { environment: 'staging', isEnvironmentChosen: true })
    expect(editDraft(chosen, { host: 'localhost' }).environment).toBe('staging')
  })

  test('come back from stored settings as they were', () => {
    const draft = editDraft(EMPTY_DRAFT, {
      host: 'h',
      user: 'u',
      database: 'd',
      environment: 'staging',
      isEnvironmentChosen: true,
      password: { from: 'command', passfile: '', command: "pass show 'a b'" },
    })
    const result = toSettings(draft)
    if (!result.ok) throw new Error('it is complete')
    expect(toSettings(draftOf(result.settings))).toEqual(result)
  })
})

describe('a command', () => {
  test.each([
    ['pass show db', ['pass', 'show', 'db']],
    ['  op  read "a b" ', ['op', 'read', 'a b']],
    [`x 'it'\\''s' a\\ b`, ['x', "it's", 'a b']],
    [`x '' ""`, ['x', '', '']],
    ['', []],
  ])('%s is split without a shell', (line, words) => expect(splitWords(line)).toEqual(words))

  test('with an open quote is refused', () => expect(splitWords(`x 'y`)).toBeNull())

  test('is put together as it was', () => {
    const words = ['/a b/c', '--x=1', "it's", '', '$HOME']
    expect(splitWords(joinWords(words))).toEqual(words)
  })
})
