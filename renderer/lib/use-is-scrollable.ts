import { useEffect, useState } from 'react'

/**
 * Whether an element holds more than it shows, and so has to be reachable by keyboard. Give the first of the
 * pair to the element as its ref.
 */
export function useIsScrollable(): [(element: Element | null) => void, boolean] {
  const [element, setElement] = useState<Element | null>(null)
  const [isScrollable, setScrollable] = useState(false)
  useEffect(() => {
    if (element === null) return undefined
    const measure = () => setScrollable(element.scrollHeight > element.clientHeight + 1)
    const sizes = new ResizeObserver(measure)
    const contents = new MutationObserver(measure)
    sizes.observe(element)
    contents.observe(element, { childList: true, subtree: true, characterData: true })
    measure()
    return () => {
      sizes.disconnect()
      contents.disconnect()
    }
  }, [element])
  return [setElement, isScrollable]
}
