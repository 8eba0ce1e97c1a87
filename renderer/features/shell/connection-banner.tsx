import type { ConnectionState } from '../../../src/model/connection.ts'
import type { DatabaseTrouble, TroubleKind } from '../../../src/model/database.ts'
import { describeTrouble } from '../../../src/model/describe-trouble.ts'
import { Button } from '../../ui/button.tsx'
import { useNow } from '../../ui/time-ago.tsx'
import { SecretDialog } from '../connect/secret-dialog.tsx'
import { Banner } from './banner.tsx'
import { useReconnect } from './use-reconnect.ts'

/** How the way back to the server is doing. The screen below keeps what was read. */
export function ConnectionBanner({
  state,
}: {
  readonly state: Exclude<ConnectionState, { status: 'connected' }>
}) {
  const { reconnect, isPending, secrets } = useReconnect()
  const isLost = state.status === 'disconnected'
  const isTrying = isPending || (state.status === 'reconnecting' && state.nextAttemptAt === null)
  return (
    <>
      <Banner
        action={
          <Button disabled={isTrying} onClick={reconnect} size="small">
            {isTrying ? 'Connecting…' : isLost ? 'Reconnect' : 'Try now'}
          </Button>
        }
        tone={isLost ? 'bad' : 'warning'}
      >
        <strong>{isLost ? 'Disconnected' : 'Reconnecting'}.</strong>{' '}
        <Reason isLost={isLost} trouble={state.reason} />{' '}
        {state.status === 'reconnecting' && <NextTry state={state} />} The screen keeps what was
        read before.
      </Banner>
      {secrets.question !== null && (
        <SecretDialog
          isPending={false}
          isStored={false}
          onAnswer={secrets.answer}
          onClose={secrets.cancel}
          question={secrets.question}
        />
      )}
    </>
  )
}

/** Where it is tried again by itself, only what may be wrong on this side is worth doing. */
const WORTH_CHECKING = new Set<TroubleKind>(['unreachable', 'no-such-host'])

interface ReasonProps {
  readonly trouble: DatabaseTrouble | null
  readonly isLost: boolean
}

function Reason({ trouble, isLost }: ReasonProps) {
  if (trouble === null) return <>The connection was closed on purpose.</>
  const { title, what, next } = describeTrouble(trouble)
  return (
    <span title={trouble.detail ?? trouble.code ?? undefined}>
      {title}. {what} {(isLost || WORTH_CHECKING.has(trouble.kind)) && next}
    </span>
  )
}

type Reconnecting = Extract<ConnectionState, { status: 'reconnecting' }>

function NextTry({ state }: { readonly state: Reconnecting }) {
  const now = useNow()
  const { attempt, nextAttemptAt } = state
  const tries = attempt === 0 ? '' : `Attempt ${attempt} failed, `
  if (nextAttemptAt === null) return <b className="num">Attempt {attempt} is under way.</b>
  const seconds = Math.max(0, Math.ceil((nextAttemptAt - now) / 1_000))
  return (
    <b className="num">
      {tries === '' ? 'Next' : `${tries}next`} try in {seconds} s.
    </b>
  )
}
