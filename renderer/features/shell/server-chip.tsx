import { Popover } from '@base-ui/react/popover'

import type { OpenedDatabase } from '../../../src/contract/index.ts'
import type { ConnectionLimits, NegotiatedTls } from '../../../src/model/connection.ts'
import type { ConnectionReport } from '../../../src/model/connection-report.ts'
import type { DatabaseFacts } from '../../../src/model/database.ts'
import { useLiveValue } from '../../api/use-live.ts'
import { describeTls, shortPlace } from '../../lib/describe-server.ts'
import { ChipButton } from '../../ui/chip.tsx'
import { FactLines, type Lines, linesOf } from './database-facts.tsx'

interface ServerChipProps {
  readonly opened: Extract<OpenedDatabase, { kind: 'connection' }>
  readonly facts: DatabaseFacts | undefined
}

/** Which server this is and how careful to be with it; opens what is known about it. */
export function ServerChip({ opened, facts }: ServerChipProps) {
  const report = useLiveValue((state) => state.report)
  const environment = report?.environment ?? opened.environment
  const { path } = opened
  return (
    <Popover.Root>
      <Popover.Trigger
        render={
          <ChipButton title={opened.name === null ? path : `${opened.name}\n${path}`}>
            <span aria-hidden="true" className="dot" data-environment={environment} />
            <span className="database-chip server-chip cut">
              <span className="dialect">Postgres · </span>
              <strong className="environment-name" data-environment={environment}>
                {environment}
              </strong>
              {' · '}
              {opened.name === null ? (
                <span className="server-place isolate">{shortPlace(path)}</span>
              ) : (
                <span className="isolate">{opened.name}</span>
              )}
            </span>
          </ChipButton>
        }
      />
      <Popover.Portal>
        <Popover.Positioner align="start" className="positioner" sideOffset={6}>
          <Popover.Popup className="popover">
            <Popover.Title>{opened.name ?? 'Server'}</Popover.Title>
            <FactLines
              lines={[
                ...(facts === undefined ? [['server', path] as const] : factsLines(facts, report)),
                ...reportLines(report),
              ]}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

/** Why a connection is not encrypted is known to who made it. */
function factsLines(facts: DatabaseFacts, report: ConnectionReport | null): Lines {
  const tls = tlsOf(report)
  return linesOf(facts).map(([name, value]) =>
    name === 'encryption' && tls?.kind === 'plain' ? [name, describeTls(tls)] : [name, value],
  )
}

function tlsOf(report: ConnectionReport | null): NegotiatedTls | null {
  return report?.state.status === 'connected' ? report.state.server.tls : null
}

const ROLES = ['interactive', 'background', 'writer'] as const

function reportLines(report: ConnectionReport | null): Lines {
  if (report === null) return []
  const { state, limits } = report
  const tls = tlsOf(report)
  const isPooled = state.status === 'connected' && state.server.isPooled
  return [
    ...(tls?.kind === 'tls' ? [['certificate', describeTls(tls)] as const] : []),
    ...(isPooled ? [['pooler', 'one stands between'] as const] : []),
    ...ROLES.map((role) => [`${role} limits`, describe(limits[role])] as const),
  ]
}

function describe(limits: ConnectionLimits): string {
  const { statementTimeoutMs, lockTimeoutMs, idleInTransactionTimeoutMs } = limits
  return `statement ${seconds(statementTimeoutMs)}, lock ${seconds(lockTimeoutMs)}, idle in transaction ${seconds(idleInTransactionTimeoutMs)}`
}

function seconds(ms: number): string {
  return ms === 0 ? 'none' : `${ms / 1_000} s`
}
