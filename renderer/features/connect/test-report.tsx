import type { ReactNode } from 'react'

import type { ConnectionTest } from '../../../src/model/connection.ts'
import { describeTrouble } from '../../../src/model/describe-trouble.ts'
import { describeError, troubleOf } from '../../api/errors.ts'
import { formatBytes, formatShortCount } from '../../lib/format.ts'
import { Icon } from '../../ui/icons.tsx'
import { describeClock, describeTls } from '../../lib/describe-server.ts'
import type { ConnectResult } from './use-connect.ts'

/** What the last button led to, below the buttons that did it. */
export function ConnectOutcome({ result }: { readonly result: ConnectResult }) {
  switch (result.kind) {
    case 'incomplete':
      return <Failure title="Not complete">{result.words}</Failure>
    case 'failed':
      return <FailedWith error={result.error} />
    case 'found':
      return <Found test={result.test} />
    case 'nothing':
    case 'running':
    default:
      return null
  }
}

function Found({ test }: { readonly test: ConnectionTest }) {
  const { server, rights, latencyMs, clockDifferenceMs } = test
  const lines: readonly (readonly [string, string])[] = [
    ['server', describeServer(server)],
    ['encryption', describeTls(server.tls)],
    ['a2 store', describeStore(test)],
    ['rights', describeRights(test)],
    ['latency', `${latencyMs.toFixed(1)} ms a round trip`],
    ['clock', describeClock(clockDifferenceMs)],
  ]
  return (
    <dl className="test-report">
      {lines.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="isolate">{value}</dd>
        </div>
      ))}
      {rights.isRowSecurityActive && (
        <div>
          <dt>note</dt>
          <dd>Row security is on: the server may hide rows from this role.</dd>
        </div>
      )}
    </dl>
  )
}

function describeServer({ version, isStandby, isPooled }: ConnectionTest['server']): string {
  const standby = isStandby ? ', a standby: it takes no writes' : ''
  return `PostgreSQL ${version}${standby}${isPooled ? ', through a pooler' : ''}`
}

function describeStore({ schema, size }: ConnectionTest): string {
  if (schema === 'none') return 'none: there is no table a2_events on the search path'
  const { estimatedEvents: events, bytes } = size
  const count = events === null ? 'size never analysed' : `~${formatShortCount(events)} events`
  return `schema ${schema} · ${count}${bytes === null ? '' : ` · ${formatBytes(bytes)}`}`
}

function describeRights({ rights, schema, server }: ConnectionTest): string {
  if (schema === 'none') return 'nothing to read yet'
  if (!rights.canRead) return 'no right to read a2_events'
  if (server.isStandby) return 'read → a standby takes no writes'
  return rights.canWrite ? 'read and write → opens read-only' : 'read → writing cannot be unlocked'
}

function FailedWith({ error }: { readonly error: unknown }) {
  const trouble = troubleOf(error)
  const { title, detail } = describeError(error)
  if (trouble === null) return <Failure title={title}>{detail}</Failure>
  const text = describeTrouble(trouble)
  return (
    <Failure title={text.title}>
      {text.what} {text.untouched} <b>{text.next}</b>
      <span className="failure-code mono isolate">
        {[trouble.code ?? trouble.kind, trouble.detail ?? ''].filter(Boolean).join(' · ')}
      </span>
    </Failure>
  )
}

function Failure({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="connect-failure" role="alert">
      <Icon name="warning" size={14} />
      <div>
        <strong>{title}.</strong> {children}
      </div>
    </div>
  )
}
