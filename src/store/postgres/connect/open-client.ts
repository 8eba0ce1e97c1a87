import type { StoreTrouble } from '../../trouble.ts'
import { type Deadline, makeDeadline } from './deadline.ts'
import { type ClientRole, settingsOf } from './guard.ts'
import { negotiateTls, planTlsFor } from './negotiate-tls.ts'
import { type OpenClient, OpenedClient, type Startup } from './opened-client.ts'
import { type Check, checkStatement } from './server-check.ts'
import { openWay } from './socket.ts'
import type { Target } from './target.ts'
import type { TlsPlan } from './tls-options.ts'
import { makeTrouble, toTrouble } from './trouble.ts'

export const CONNECT_DEADLINE_MS = 10_000
/** protocol_violation: how a pooler refuses startup options, among other things. */
const POOLER_REFUSES = '08P01'

/**
 * Connects, and finds out where it ended up. A password is fetched only when the server asks for one,
 * outside of the deadline, for a person may have to type it. Rejects with StoreTrouble.
 */
export async function openClient(
  target: Target,
  role: ClientRole,
  deadlineMs = CONNECT_DEADLINE_MS,
): Promise<OpenClient> {
  const plan = await planTlsFor(target)
  let attempt: Attempt = { target, role, plan, withOptions: true, remedies: [] }
  for (;;) {
    try {
      return await openAndCheck(attempt, makeDeadline(deadlineMs))
    } catch (error) {
      attempt = await remedy(attempt, toTrouble(target.maker, error))
    }
  }
}

interface Attempt extends Startup {
  readonly plan: TlsPlan | null
  /** What was tried already, each once. */
  readonly remedies: readonly string[]
}

/** What to do otherwise the next time; throws the trouble where there is nothing left to do. */
async function remedy(attempt: Attempt, reason: StoreTrouble): Promise<Attempt> {
  const { credentials } = attempt.target
  const { kind, code } = reason.trouble
  if (attempt.remedies.includes(kind)) throw reason
  const next = { ...attempt, remedies: [...attempt.remedies, kind] }
  if (code === POOLER_REFUSES && attempt.withOptions) return { ...next, withOptions: false }
  if (kind === 'password-missing' && credentials.known('password') === null) {
    await credentials.fetch('password')
    return next
  }
  if (kind !== 'auth-failed' || !(await canRenew(attempt))) throw reason
  return next
}

/** A refused password may have been changed at its source, or have been good for a while only. */
async function canRenew({ target: { credentials }, remedies }: Attempt): Promise<boolean> {
  const refused = credentials.known('password')
  const isFresh = remedies.includes('password-missing')
  if (!credentials.refuse('password') || refused === null || isFresh) return false
  const renewed = await credentials.fetch('password').catch(() => null)
  return renewed !== null && !renewed.isSame(refused)
}

async function openAndCheck(attempt: Attempt, deadline: Deadline): Promise<OpenClient> {
  const { target, role } = attempt
  const { maker } = target
  const way = await openWay(target, deadline)
  const transport = await negotiateTls(way, target, attempt.plan, deadline)
  const takeBack = deadline.onExpiry(() =>
    transport.stream.destroy(makeTrouble(maker, 'timeout', 'ETIMEDOUT')),
  )
  const settings = settingsOf(role, target.settings.schema)
  const opened = new OpenedClient(attempt, way, transport.stream, transport.tls)
  try {
    await opened.connect()
    const statement = checkStatement(settings, target.settings.schema)
    const [rows = []] = await opened.send([statement])
    opened.learn(rows[0] as unknown as Check)
    return opened
  } catch (error) {
    const reason = toTrouble(maker, error)
    opened.destroy(reason)
    throw reason
  } finally {
    takeBack()
  }
}
