import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

import { type Encryption, openCredentials } from '../../electron/credentials.ts'
import { Secret } from '../../src/model/secret.ts'
import { makeTempFolder } from '../host/temp-folder.ts'

/** Stands in for a keychain: what one key sealed, no other opens. */
function makeEncryption(key: number, backend = 'gnome_libsecret'): Encryption {
  return {
    isEncryptionAvailable: () => true,
    encryptString: (text) => Buffer.from([key, ...Buffer.from(text).map((byte) => byte ^ key)]),
    decryptString(sealed) {
      if (sealed[0] !== key) throw new Error('another key')
      return Buffer.from(sealed.subarray(1).map((byte) => byte ^ key)).toString()
    },
    getSelectedStorageBackend: () => backend,
  }
}

/** The same with the calls of newer versions only. */
function makeNewEncryption(key: number, isAvailable: Promise<boolean>): Encryption {
  const old = makeEncryption(key)
  const never = (): never => {
    throw new Error('the old call was used')
  }
  return {
    ...old,
    isEncryptionAvailable: never,
    encryptString: never,
    decryptString: never,
    isAsyncEncryptionAvailable: () => isAvailable,
    encryptStringAsync: async (text) => old.encryptString(text),
    decryptStringAsync: async (sealed) => ({ result: old.decryptString(sealed) }),
  }
}

function setUp(encryption: Encryption, file = join(makeTempFolder(), 'data', 'secrets.json')) {
  return { file, vault: openCredentials({ file, encryption, platform: 'linux', patienceMs: 50 }) }
}

test.each([
  ['the old calls', makeEncryption(7)],
  ['the new calls', makeNewEncryption(7, Promise.resolve(true))],
])('with %s a secret is kept, sealed, for this user alone', async (_, encryption) => {
  const { file, vault } = setUp(encryption)
  expect(await vault.facts()).toStrictEqual({ isAvailable: true, backend: 'gnome_libsecret' })
  expect(await vault.read('a')).toBeNull()
  await Promise.all([
    vault.write('a', new Secret('hunter2')),
    vault.write('b', new Secret('päss wörd')),
  ])
  const again = setUp(encryption, file).vault
  expect((await again.read('a'))?.reveal()).toBe('hunter2')
  expect((await again.read('b'))?.reveal()).toBe('päss wörd')
  expect(readFileSync(file, 'utf8')).not.toMatch(/hunter2|päss|aHVudGVyMg/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await again.remove('a')
  expect(await again.read('a')).toBeNull()
  expect((await again.read('b'))?.reveal()).toBe('päss wörd')
})

test.each([
  ['basic-text', makeEncryption(7, 'basic_text')],
  ['no-keychain', makeEncryption(7, 'unknown')],
  ['no-keychain', { ...makeEncryption(7), isEncryptionAvailable: () => false }],
  ['no-keychain', makeNewEncryption(7, Promise.resolve(false))],
  ['no-keychain', makeNewEncryption(7, new Promise(() => {}))],
])('%s: says so and writes nothing', async (why, encryption) => {
  const { file, vault } = setUp(encryption)
  expect(await vault.facts()).toMatchObject({ isAvailable: false, why })
  await expect(vault.write('a', new Secret('hunter2'))).rejects.toThrow(why)
  expect(existsSync(file)).toBe(false)
})

test('what another key sealed is said, and stays as it is', async () => {
  const { file, vault } = setUp(makeEncryption(7))
  await vault.write('a', new Secret('hunter2'))
  const before = readFileSync(file)
  const { vault: other } = setUp(makeEncryption(9), file)
  expect(await other.facts()).toStrictEqual({
    isAvailable: false,
    why: 'cannot-decrypt',
    backend: 'gnome_libsecret',
  })
  await expect(other.read('a')).rejects.toThrow('cannot be decrypted')
  await expect(other.write('b', new Secret('x'))).rejects.toThrow('cannot be decrypted')
  await other.remove('a')
  expect(readFileSync(file)).toStrictEqual(before)
  expect((await vault.read('a'))?.reveal()).toBe('hunter2')
})

test.each(['', 'not json', '{"version":2}', '{"version":1,"check":"!","secrets":{}}'])(
  'a damaged store is not replaced: %j',
  async (text) => {
    const file = join(makeTempFolder(), 'secrets.json')
    writeFileSync(file, text)
    const { vault } = setUp(makeEncryption(7), file)
    expect(await vault.facts()).toMatchObject({ isAvailable: false, why: 'cannot-decrypt' })
    await expect(vault.write('a', new Secret('x'))).rejects.toThrow('cannot be decrypted')
    expect(readFileSync(file, 'utf8')).toBe(text)
  },
)
