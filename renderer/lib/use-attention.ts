import { useEffect, useState } from 'react'
import type { RefObject } from 'react'

/** After this long without a key the list may move again. */
const KEY_REST_MS = 4_000
/** Scrolled by less than this still counts as being at the top. */
const TOP_PX = 20

/**
 * Whether a list may change its order under the person: they are at its top, do not point at it and
 * pressed no key in it lately. Spread `scrolling` on the scrolling element, `pointing` on the frame that
 * also holds what lies over it: going to press that must not count as leaving.
 */
export function useAttention(scroller: RefObject<HTMLElement | null>, lastKeyAt: number) {
  const [isPointed, setPointed] = useState(false)
  const [isScrolled, setScrolled] = useState(false)
  const [restedAfter, setRestedAfter] = useState(0)
  useEffect(() => {
    if (lastKeyAt === 0) return undefined
    const timer = setTimeout(() => setRestedAfter(lastKeyAt), KEY_REST_MS)
    return () => clearTimeout(timer)
  }, [lastKeyAt])
  return {
    isAway: !isPointed && !isScrolled && restedAfter === lastKeyAt,
    pointing: {
      onPointerEnter: () => setPointed(true),
      onPointerLeave: () => setPointed(false),
    },
    scrolling: { onScroll: () => setScrolled((scroller.current?.scrollTop ?? 0) > TOP_PX) },
  }
}
