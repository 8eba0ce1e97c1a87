import { createRouterClient } from '@orpc/server'

import { openInspector } from '../../../src/inspector/open-inspector.ts'

/** Asks for a file's sessions with the rights of nobody, and prints the answer or the trouble. Argument: path. */
process.setgid?.(65_534)
process.setuid?.(65_534)
const inspector = openInspector({ path: process.argv[2] ?? '', dataFolder: '/nonexistent' })
const client = createRouterClient(inspector.router)
try {
  const { known } = await client.sessions.view({
    sort: 'id',
    direction: 'asc',
    text: '',
    chips: [],
  })
  process.stdout.write(JSON.stringify({ known }))
} catch (error) {
  const { code, data } = error as { code: string; data: unknown }
  process.stdout.write(JSON.stringify({ code, data }))
}
await inspector.close()
