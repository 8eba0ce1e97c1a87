import { inject } from 'vitest'

import { postgresBackend } from './backends.ts'
import { describeStore } from './describe-store.ts'

for (const server of inject('postgresServers')) describeStore(postgresBackend(server))
