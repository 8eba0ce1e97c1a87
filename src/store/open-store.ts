import { fileURLToPath } from 'node:url'

import { postgres } from './postgres/store.ts'
import { sqlite } from './sqlite/store.ts'
import type { Store, StoreOptions } from './store.ts'

/** Opens `postgres://…` or `postgresql://…` (with `?schema=…`), a `file:` URL, or a path. */
export function openStore(location: string, options: StoreOptions = {}): Store {
  if (/^postgres(ql)?:\/\//.test(location)) {
    const url = new URL(location)
    const schema = url.searchParams.get('schema')
    url.searchParams.delete('schema')
    return postgres({ ...options, ...(schema ? { schema } : {}), connectionString: url.href })
  }
  const path = location.startsWith('file:') ? fileURLToPath(location) : location
  return sqlite({ ...options, path })
}
