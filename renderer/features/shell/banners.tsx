import type { DatabaseTrouble } from '../../../src/model/database.ts'
import { describeTrouble } from '../../../src/model/describe-trouble.ts'
import { describeError, troubleOf } from '../../api/errors.ts'
import { useHostInfo } from '../../api/host.ts'
import { useLive } from '../../api/use-live.ts'
import { formatClock } from '../../lib/format.ts'
import { usePreferences } from '../../state/preferences.ts'
import { Button } from '../../ui/button.tsx'
import { Banner } from './banner.tsx'
import { ConnectionBanner } from './connection-banner.tsx'

const REOPENED = {
  replaced: 'Another file took this one’s place',
  restored: 'The file was restored to other contents',
  returned: 'The file is back',
} as const

/** The window's program brings its process back itself; in a browser only the person can. */
const LOST = {
  electron: 'It is being started again.',
  browser: 'If it was ended, start it again: it then prints a new address.',
} as const

/** The same of a server. */
const CONNECTED_AGAIN = {
  replaced: 'Another database answers here now',
  restored: 'The database was restored to other contents',
  returned: 'Connected again',
} as const

/** A read that the person stopped says nothing of the database. */
function wrongWith(readError: unknown): DatabaseTrouble | null {
  const trouble = troubleOf(readError)
  return trouble?.kind === 'cancelled' ? null : trouble
}

/** Lines about the database as a whole. The screen below keeps what it shows. */
export function Banners({ readError }: { readonly readError: unknown }) {
  const { trouble, reopened, connection, report, feed } = useLive()
  const { zone } = usePreferences()
  const mode = useHostInfo()?.mode ?? 'browser'
  const isLost = connection === 'lost'
  // Without the program, what it said before of server and file may be over.
  const away =
    isLost || report === null || report.state.status === 'connected' ? null : report.state
  // A server that is away is said once, with the way back.
  const current = isLost || away !== null ? null : (trouble ?? wrongWith(readError))
  return (
    <div aria-live="polite">
      {away !== null && <ConnectionBanner state={away} />}
      {current !== null && (
        <Banner
          action={
            <Button onClick={() => feed.refresh()} size="small">
              Try again
            </Button>
          }
          tone="bad"
        >
          <strong>{describeTrouble(current).title}.</strong> {describeTrouble(current).what} The
          screen keeps what was read before.
        </Banner>
      )}
      {isLost && (
        <Banner tone="warning">
          <strong>{describeError(null).title}.</strong> {LOST[mode]} What is on screen stays.
        </Banner>
      )}
      {/* What was said of the time before would be wrong beside it. */}
      {away === null && reopened !== null && (
        <Banner
          action={
            <Button onClick={() => feed.dismissReopened()} size="small">
              Dismiss
            </Button>
          }
          tone="normal"
        >
          <strong>{(report === null ? REOPENED : CONNECTED_AGAIN)[reopened.reason]}</strong> at{' '}
          {formatClock(reopened.at, zone)}. Everything was read anew.
        </Banner>
      )}
    </div>
  )
}
