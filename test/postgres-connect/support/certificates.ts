import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** An authority of the tests' own, in a folder that is gone afterwards. All answers are paths of PEM files. */
export interface Authority {
  readonly folder: string
  readonly root: string
  /** `names`: as in subjectAltName, `DNS:localhost`. */
  issue(
    subject: string,
    options?: { readonly names?: readonly string[]; readonly isExpired?: boolean },
  ): Certificate
  remove(): void
}

const YEAR = '365'

export function makeAuthority(subject: string): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'a2-authority-'))
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const root = join(folder, 'root.crt')
  const rootKey = join(folder, 'root.key')
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    rootKey,
    '-out',
    root,
    '-days',
    YEAR,
    '-subj',
    `/CN=${subject}`,
  )
  let issued = 0
  return {
    folder,
    root,
    issue(name, { names = [], isExpired = false } = {}) {
      issued += 1
      const [cert, key, request, extensions] = ['crt', 'key', 'csr', 'ext'].map((kind) =>
        join(folder, `${issued}.${kind}`),
      ) as [string, string, string, string]
      openssl('req', ...newKey, '-keyout', key, '-out', request, '-subj', `/CN=${name}`)
      const lines =
        names.length === 0 ? 'basicConstraints=CA:FALSE' : `subjectAltName=${names.join(',')}`
      writeFileSync(extensions, `${lines}\n`)
      // A certificate whose last day was before its first.
      const days = isExpired ? '-1' : YEAR
      const signer = ['-CA', root, '-CAkey', rootKey, '-CAcreateserial']
      openssl(
        'x509',
        '-req',
        '-in',
        request,
        ...signer,
        '-out',
        cert,
        '-days',
        days,
        '-extfile',
        extensions,
      )
      chmodSync(key, 0o600)
      return { cert, key }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The same key, encrypted. */
export function encryptKey(key: string, passphrase: string): string {
  const encrypted = `${key}.encrypted`
  execFileSync('openssl', ['pkcs8', '-topk8', '-in', key, '-out', encrypted, '-passout', 'stdin'], {
    input: `${passphrase}\n`,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  chmodSync(encrypted, 0o600)
  return encrypted
}

export function read(path: string): string {
  return readFileSync(path, 'utf8')
}
