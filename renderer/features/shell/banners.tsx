import type { ReactNode } from 'react'

import { describeTrouble } from '../../../src/model/describe-trouble.ts'
import { describeError, troubleOf } from '../../api/errors.ts'
import { useHostInfo } from '../../api/host.ts'
import { useLive } from '../../api/use-live.ts'
import { formatClock } from '../../lib/format.ts'
import { usePreferences } from '../../state/preferences.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'

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

/** Lines about the database as a whole. The screen below keeps what it shows. */
export function Banners({ readError }: { readonly readError: unknown }) {
  const { trouble, reopened, connection, feed } = useLive()
  const { zone } = usePreferences()
  const mode = useHostInfo()?.mode ?? 'browser'
  const current = trouble ?? troubleOf(readError)
  return (
    <div aria-live="polite">
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
      {current === null && connection === 'lost' && (
        <Banner tone="warning">
          <strong>{describeError(null).title}.</strong> {LOST[mode]} What is on screen stays.
        </Banner>
      )}
      {reopened !== null && (
        <Banner
          action={
            <Button onClick={() => feed.dismissReopened()} size="small">
              Dismiss
            </Button>
          }
          tone="normal"
        >
          <strong>{REOPENED[reopened.reason]}</strong> at {formatClock(reopened.at, zone)}.
          Everything was read anew.
        </Banner>
      )}
    </div>
  )
}

interface BannerProps {
  readonly tone: 'bad' | 'warning' | 'normal'
  readonly action?: ReactNode
  readonly children: ReactNode
}

function Banner({ tone, action, children }: BannerProps) {
  return (
    <div className="banner" data-tone={tone}>
      <Icon name={tone === 'normal' ? 'info' : 'warning'} />
      <span className="grow">{children}</span>
      {action}
    </div>
  )
}
