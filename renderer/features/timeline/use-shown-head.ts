import { useEffect, useState } from 'react'

interface Tail {
  /** The session's head as far as it is known. */
  readonly head: number
  /** A clear changes what every line above means: its marker is always shown. */
  readonly clearIndex: number
  /** Whether new events may appear by themselves now. */
  readonly isFollowing: boolean
  /** Reads what is needed to draw an index. */
  readonly read: (index: number) => Promise<unknown>
}

/**
 * The head up to which the list is drawn. It follows the session's head only while nothing that is
 * being read would move, and only when the new rows are there to be drawn.
 */
export function useShownHead({ head, clearIndex, isFollowing, read }: Tail): {
  readonly shownHead: number
  readonly show: (head: number) => void
} {
  const [shown, show] = useState(head)
  useEffect(() => {
    if (head <= shown || (!isFollowing && clearIndex <= shown)) return undefined
    let isWanted = true
    const follow = async () => {
      // A block that cannot be read is drawn as such: the list goes on either way.
      await read(head).catch(() => null)
      if (isWanted) show(head)
    }
    void follow()
    return () => {
      isWanted = false
    }
  }, [isFollowing, head, clearIndex, shown, read])
  // A replaced file may hold a shorter session.
  return { shownHead: Math.min(shown, head), show }
}
