import { sqliteBackend } from './backends.ts'
import { describeStore } from './describe-store.ts'

describeStore(sqliteBackend)
