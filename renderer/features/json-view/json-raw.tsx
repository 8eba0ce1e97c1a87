import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'

import { toChunks } from './raw-chunks.ts'

const LINE_HEIGHT = 18
const CHARACTERS_PER_LINE = 48

/** A text exactly as it is stored, of any length: only the pieces in view are in the page. */
export function JsonRaw({ text, label }: { readonly text: string; readonly label: string }) {
  const chunks = useMemo(() => toChunks(text), [text])
  const scroller = useRef<HTMLDivElement>(null)
  // oxlint-disable-next-line react/incompatible-library -- nothing it returns is memoised here
  const virtual = useVirtualizer({
    count: chunks.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => estimate(chunks[at] ?? { from: 0, to: 0 }),
    overscan: 2,
  })
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
    <div aria-label={label} className="json-scroll" ref={scroller} role="region" tabIndex={0}>
      <div className="json-space" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const { from, to } = chunks[index] ?? { from: 0, to: 0 }
          return (
            <pre
              className="json-raw isolate"
              data-index={index}
              key={key}
              ref={virtual.measureElement}
              style={{ transform: `translateY(${start}px)` }}
            >
              {text.slice(from, text[to - 1] === '\n' && to - from > 1 ? to - 1 : to)}
            </pre>
          )
        })}
      </div>
    </div>
  )
}

function estimate({ from, to }: { readonly from: number; readonly to: number }): number {
  return Math.max(1, Math.ceil((to - from) / CHARACTERS_PER_LINE)) * LINE_HEIGHT
}
