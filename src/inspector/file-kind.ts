import { closeSync, openSync, readSync, statSync } from 'node:fs'

import { StoreTrouble } from '../store/trouble.ts'

const SAMPLE_BYTES = 8192

/**
 * SQLite says only "not a database". Without an open handle of ours the first bytes may be looked at, to
 * tell an encrypted database from any other file.
 */
export function explainUnreadable(path: string, error: unknown): unknown {
  if (!(error instanceof StoreTrouble) || error.trouble.kind !== 'not-a-database') return error
  if (!looksEncrypted(path)) return error
  return new StoreTrouble({ ...error.trouble, kind: 'encrypted' }, { cause: error })
}

/** Encrypted pages have no header, look like noise, and fill whole pages. */
function looksEncrypted(path: string): boolean {
  try {
    const { size } = statSync(path)
    if (size < 1024 || size % 512 !== 0) return false
    const bytes = readStart(path)
    return !hasKnownHeader(bytes) && isNoise(bytes)
  } catch {
    return false
  }
}

function readStart(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(SAMPLE_BYTES)
    return bytes.subarray(0, readSync(file, bytes, 0, SAMPLE_BYTES, 0))
  } finally {
    closeSync(file)
  }
}

const KNOWN_HEADERS = [
  '1f8b', // gzip
  '504b0304', // zip
  '28b52ffd', // zstd
  'fd377a585a', // xz
  '425a68', // bzip2
  '89504e47', // png
  'ffd8ff', // jpeg
  '25504446', // pdf
  '7f454c46', // elf
  '377abcaf271c', // 7z
]

function hasKnownHeader(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 8).toString('hex')
  return KNOWN_HEADERS.some((header) => start.startsWith(header))
}

/** Shannon entropy close to what random bytes of this number have. */
function isNoise(bytes: Buffer): boolean {
  const counts = new Uint32Array(256)
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1
  let bits = 0
  for (const count of counts) {
    if (count > 0) bits -= (count / bytes.length) * Math.log2(count / bytes.length)
  }
  return bits > (bytes.length >= 4096 ? 7.8 : 7.5)
}
