import type { OptionalColumns } from '../optional-columns.ts'
import type { FailAnswer, FailRequest } from '../store.ts'
import { statement, type Transaction } from './connection.ts'
import { bindHold, releaseSql } from './held-event.ts'
import type { Tables } from './schema.ts'
import type { SessionLog } from './session-log.ts'

interface Context {
  readonly now: () => number
  readonly has: OptionalColumns
}

export function bindFailAttempt(tables: Tables, log: SessionLog, { now, has }: Context) {
  const hold = bindHold(tables, log, has)
  const failSql = `
    update ${tables.events}
       set failure_count = $3, failed_at = $4, claim_holder = null, claim_expires_at = null
           ${has.hasLastError ? ', last_error = $5' : ''}
     where session_id = $1 and idx = $2`
  const failOnce = statement(failSql)
  const failForGood = statement(`with failed as (${failSql}), ${releaseSql(tables, '$2')} select 1`)
  return async (tx: Transaction, request: FailRequest): Promise<FailAnswer> => {
    const { sessionId, index, attempt, error, maxFailures } = request
    const event = await hold(tx, sessionId, index)
    if (event === undefined) return { outcome: 'superseded', failureCount: 0 }
    if (event.attemptCount !== attempt || event.isProcessed || event.isDead)
      return { outcome: 'superseded', failureCount: event.failureCount }
    const failureCount = event.failureCount + 1
    const isDead = failureCount >= maxFailures
    const fail = isDead ? failForGood : failOnce
    const failedAt = isDead ? now() : null
    tx.later(fail(sessionId, index, failureCount, failedAt, ...(has.hasLastError ? [error] : [])))
    return { outcome: isDead ? 'dead' : 'retry', failureCount }
  }
}
