import type { PostgresFacts } from '../../../src/model/database.ts'
import { isAway, useLiveValue } from '../../api/use-live.ts'
import { printTls, printTlsVersion } from '../../lib/describe-server.ts'
import { formatDuration } from '../../lib/format.ts'

/** Less than that is not worth a word. */
const CLOCK_SHOWN_MS = 2_000

/** The server, how the way to it is encrypted, and how far its clock is from ours. */
export function ServerLine({ facts }: { readonly facts: PostgresFacts }) {
  const server = useLiveValue(({ report }) =>
    report?.state.status === 'connected' ? report.state.server : null,
  )
  const isGone = useLiveValue(isAway)
  const told = useLiveValue(({ report }) => report?.clockDifferenceMs ?? null)
  const difference = told ?? facts.clockDifferenceMs
  const isStandby = server?.isStandby ?? facts.isStandby
  return (
    <>
      <span className="cut num">
        PostgreSQL {server?.version ?? facts.serverVersion} ·{' '}
        {isGone ? 'not connected' : server === null ? tlsOf(facts) : printTls(server.tls)}
        {isStandby && !isGone && ' · standby, read-only'}
      </span>
      {Math.abs(difference) > CLOCK_SHOWN_MS && (
        <span
          className="num clock-apart"
          title="The database’s clock minus this machine’s. Leases are judged by the database’s clock."
        >
          clock {difference > 0 ? '+' : '−'}
          {formatDuration(Math.abs(difference))}
        </span>
      )}
    </>
  )
}

function tlsOf({ tls }: PostgresFacts): string {
  return tls === null ? 'not encrypted' : printTlsVersion(tls.protocol)
}
