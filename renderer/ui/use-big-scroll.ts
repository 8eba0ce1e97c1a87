import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'

/** Browsers stop laying out at some 16–33 million pixels; above this the scroll space is scaled. */
const MAX_SPACE = 8_000_000
const WHEEL_LINE = 40

export interface BigScroll {
  /** Height to give the spacer inside of it, pixels. */
  readonly space: number
  /** Distance of the viewport's top from the top of the list, pixels; not the element's scrollTop. */
  readonly position: number
  readonly viewport: number
  readonly scrollTo: (position: number) => void
}

/**
 * Scrolling over any number of equally high rows. The caller draws the rows around `position` inside
 * a sticky box as high as the viewport. Beyond 8 million pixels the scroll bar is scaled while the
 * wheel still moves by its own distance.
 */
export function useBigScroll(
  scrollerRef: RefObject<HTMLDivElement | null>,
  total: number,
): BigScroll {
  const [position, setPosition] = useState(0)
  const [viewport, setViewport] = useState(0)
  const at = useRef({ position: 0, top: 0 })
  const space = Math.min(total, MAX_SPACE)
  const ratio =
    total > MAX_SPACE ? Math.max(1, total - viewport) / Math.max(1, MAX_SPACE - viewport) : 1

  const scrollTo = useCallback(
    (wanted: number) => {
      const element = scrollerRef.current
      const next = Math.max(0, Math.min(wanted, total - (element?.clientHeight ?? 0)))
      at.current.position = next
      if (element !== null) {
        element.scrollTop = next / ratio
        at.current.top = element.scrollTop
      }
      setPosition(next)
    },
    [scrollerRef, total, ratio],
  )

  useLayoutEffect(() => {
    const element = scrollerRef.current
    if (element === null) return undefined
    const measure = () => setViewport(element.clientHeight)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [scrollerRef])

  useEffect(() => {
    const element = scrollerRef.current
    if (element === null) return undefined
    const onScroll = () => {
      // What we set ourselves comes back as an event too; it must not lose the exact position.
      if (Math.abs(element.scrollTop - at.current.top) < 1) return
      at.current.top = element.scrollTop
      at.current.position = element.scrollTop * ratio
      setPosition(at.current.position)
    }
    const onWheel = (event: WheelEvent) => {
      if (ratio === 1 || event.ctrlKey || event.deltaY === 0) return
      event.preventDefault()
      const unit = [1, WHEEL_LINE, element.clientHeight][event.deltaMode] ?? 1
      scrollTo(at.current.position + event.deltaY * unit)
    }
    element.addEventListener('scroll', onScroll, { passive: true })
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => {
      element.removeEventListener('scroll', onScroll)
      element.removeEventListener('wheel', onWheel)
    }
  }, [scrollerRef, ratio, scrollTo])

  return { space, position, viewport, scrollTo }
}
