import type { ReactNode } from 'react'

import { Icon } from '../../ui/icons.tsx'

interface BannerProps {
  readonly tone: 'bad' | 'warning' | 'normal'
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** A line about the database as a whole. */
export function Banner({ tone, action, children }: BannerProps) {
  return (
    <div className="banner" data-tone={tone}>
      <Icon name={tone === 'normal' ? 'info' : 'warning'} />
      <span className="grow">{children}</span>
      {action}
    </div>
  )
}
