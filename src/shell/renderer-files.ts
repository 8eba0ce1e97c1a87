import { readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'

import { CONTENT_SECURITY_POLICY } from './content-security-policy.ts'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
}

/** Sent with every answer, whatever it is. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), usb=(), payment=()',
}

export interface FileAnswer {
  readonly status: 200 | 404
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer>
}

/**
 * One file of the built renderer: `/name.ext` or `/assets/name`. Every other path is a screen and gets
 * `index.html`. A file that is missing is a 404.
 */
export async function readRendererFile(root: string, pathname: string): Promise<FileAnswer> {
  const name = toFileName(pathname)
  const body = name === undefined ? undefined : await readInside(root, name)
  if (name === undefined || body === undefined) return notFound()
  return {
    status: 200,
    headers: {
      ...SECURITY_HEADERS,
      'content-type': CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
      // Names in assets/ carry a hash of their content.
      'cache-control': name.startsWith('assets/')
        ? 'private, max-age=31536000, immutable'
        : 'no-store',
    },
    body,
  }
}

function toFileName(pathname: string): string | undefined {
  let decoded: string
  try {
    decoded = decodeURIComponent(pathname)
  } catch {
    return undefined
  }
  // Deeper down a dot is data: a session id in the address may end in ".js".
  if (!/^\/(assets\/[^/]+|[^/]+\.[a-z0-9]+)$/.test(decoded)) return 'index.html'
  return decoded.slice(1)
}

async function readInside(
  root: string,
  name: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (name.includes('\0') || name.includes('\\') || name.split('/').includes('..')) return undefined
  const path = join(root, name)
  if (!path.startsWith(root + sep)) return undefined
  try {
    return new Uint8Array(await readFile(path))
  } catch {
    return undefined
  }
}

function notFound(): FileAnswer {
  return {
    status: 404,
    headers: { ...SECURITY_HEADERS, 'content-type': 'text/plain; charset=utf-8' },
    body: new TextEncoder().encode('Not found'),
  }
}
