import { z } from 'zod'

import type { AuditLine } from '../model/audit.ts'

const schema = z.object({
  id: z.string(),
  phase: z.enum(['intent', 'outcome']),
  at: z.string(),
  database: z.string(),
  action: z.enum(['clear', 'reclaim', 'retry', 'skip']),
  sessionId: z.string(),
  index: z.number().nullable(),
  guard: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  outcome: z.string().nullable(),
  detail: z.string().nullable(),
})

/** null: not a line of ours, or one that was cut short. */
export function parseAuditLine(text: string): AuditLine | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}
