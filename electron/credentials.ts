import { readFileSync } from 'node:fs'
import { z } from 'zod'

import { writeFileAtomically } from '../src/inspector/recent-files.ts'
import type { Vault } from '../src/inspector/servers/vault.ts'
import { Secret } from '../src/model/secret.ts'
import type { VaultFacts } from '../src/model/vault.ts'

/** What is used of Electron's safeStorage; the later half came with newer versions. */
export interface Encryption {
  isEncryptionAvailable(): boolean
  encryptString(text: string): Buffer
  decryptString(sealed: Buffer): string
  getSelectedStorageBackend?(): string
  isAsyncEncryptionAvailable?(): Promise<boolean>
  encryptStringAsync?(text: string): Promise<Buffer>
  decryptStringAsync?(sealed: Buffer): Promise<{ readonly result: string }>
}

interface CredentialsOptions {
  readonly file: string
  readonly encryption: Encryption
  readonly platform: string
  /** A keychain that asks nobody and answers nothing counts as none. */
  readonly patienceMs?: number
}

const sealed = z.base64()
const document = z.object({
  version: z.literal(1),
  /** A known text, sealed with the same key as all others: it shows whether they can be read. */
  check: sealed,
  secrets: z.record(z.string(), sealed),
})
type Document = z.infer<typeof document>

const CHECK = 'a2-inspector'
const PATIENCE_MS = 5_000

/**
 * Secrets, encrypted with a key that the keychain of the system keeps. Without a keychain nothing is kept; what
 * cannot be decrypted is left as it is.
 */
export function openCredentials(options: CredentialsOptions): Vault {
  const { file } = options
  const cipher = makeCipher(options)
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const mine = last.then(run, run)
    last = mine.catch(() => undefined)
    return mine
  }
  /** Rejects where the facts say that nothing can be kept. */
  const read = async (): Promise<Document | null> => {
    const stored = readDocument(file)
    if (stored === null) return null
    const check = await cipher.open(stored.check).catch(() => null)
    if (check !== CHECK) throw new Undecryptable()
    return stored
  }
  const facts = async (): Promise<VaultFacts> => {
    const found = await cipher.facts()
    if (!found.isAvailable) return found
    try {
      await read()
      return found
    } catch {
      return { isAvailable: false, why: 'cannot-decrypt', backend: found.backend }
    }
  }
  const assertAvailable = async (): Promise<void> => {
    const found = await cipher.facts()
    if (!found.isAvailable) throw new Error(`no secrets are kept: ${found.why}`)
  }
  const write = async (secrets: Document['secrets'], check: string | undefined): Promise<void> => {
    const content = { version: 1, check: check ?? (await cipher.seal(CHECK)), secrets }
    writeFileAtomically(file, `${JSON.stringify(content)}\n`)
  }
  return {
    facts: () => inTurn(facts),
    read: (id) =>
      inTurn(async () => {
        await assertAvailable()
        const found = (await read())?.secrets[id]
        return found === undefined ? null : new Secret(await cipher.open(found))
      }),
    write: (id, secret) =>
      inTurn(async () => {
        await assertAvailable()
        const stored = await read()
        const added = await cipher.seal(secret.reveal())
        await write({ ...stored?.secrets, [id]: added }, stored?.check)
      }),
    remove: (id) =>
      inTurn(async () => {
        // What cannot be decrypted may be readable again tomorrow: it stays, all of it.
        if (!(await facts()).isAvailable) return
        const stored = await read()
        if (stored?.secrets[id] === undefined) return
        const { [id]: _, ...others } = stored.secrets
        await write(others, stored.check)
      }),
  }
}

/** What was kept was kept with another key, or was damaged. */
class Undecryptable extends Error {
  override readonly name = 'Undecryptable'

  constructor() {
    super('what is kept cannot be decrypted')
  }
}

function readDocument(file: string): Document | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  const parsed = toDocument(text)
  if (parsed === undefined) throw new Undecryptable()
  return parsed
}

function toDocument(text: string): Document | undefined {
  try {
    return document.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

type AsyncEncryption = Pick<
  Required<Encryption>,
  'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync'
>

function isAsync(encryption: object): encryption is AsyncEncryption {
  return (
    'isAsyncEncryptionAvailable' in encryption &&
    'encryptStringAsync' in encryption &&
    'decryptStringAsync' in encryption
  )
}

function makeCipher({ encryption, platform, patienceMs = PATIENCE_MS }: CredentialsOptions) {
  const newer = isAsync(encryption) ? encryption : null
  const isAvailable = async (): Promise<boolean> => {
    if (newer === null) return encryption.isEncryptionAvailable()
    const asked = newer.isAsyncEncryptionAvailable().catch(() => false)
    return Promise.race([asked, after(patienceMs, false)])
  }
  return {
    async facts(): Promise<VaultFacts> {
      const backend = findBackend(encryption, platform)
      // It would encrypt with a key that stands in the source of the browser.
      if (backend === 'basic_text') return { isAvailable: false, why: 'basic-text', backend }
      if (backend === 'unknown' || !(await isAvailable())) {
        return { isAvailable: false, why: 'no-keychain', backend: null }
      }
      return { isAvailable: true, backend }
    },
    async seal(text: string): Promise<string> {
      const bytes = newer ? await newer.encryptStringAsync(text) : encryption.encryptString(text)
      return bytes.toString('base64')
    },
    async open(text: string): Promise<string> {
      const bytes = Buffer.from(text, 'base64')
      return newer
        ? (await newer.decryptStringAsync(bytes)).result
        : encryption.decryptString(bytes)
    },
  }
}

function findBackend(encryption: Encryption, platform: string): string {
  if (platform === 'darwin') return 'keychain'
  if (platform === 'win32') return 'dpapi'
  return encryption.getSelectedStorageBackend?.() ?? 'unknown'
}

function after<T>(ms: number, value: T): Promise<T> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(value), ms).unref()
  })
}
