import { useLocation, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'

import { cutMiddle, toVisible } from '../../lib/format.ts'
import { readSessionsSearch } from '../../routes/search.ts'

const LONGEST = 60
const NAMES: Readonly<Record<string, string>> = {
  dead: 'Dead letters',
  presence: 'Presence',
  audit: 'Audit',
}

/** Names the window or tab after what it shows, the most telling word first. */
export function useTitle(databaseName: string): void {
  const screen = useLocation({ select: ({ pathname }) => pathname.split('/').at(-1) ?? '' })
  const { s: sessionId } = readSessionsSearch(useSearch({ strict: false }))
  const session = sessionId === undefined ? null : cutMiddle(toVisible(sessionId), LONGEST)
  const shown = NAMES[screen] ?? session
  const title = [shown, cutMiddle(toVisible(databaseName), LONGEST), 'A2 Inspector']
    .filter((part) => part !== null)
    .join(' · ')
  useEffect(() => {
    document.title = title
    return () => {
      document.title = 'A2 Inspector'
    }
  }, [title])
}
