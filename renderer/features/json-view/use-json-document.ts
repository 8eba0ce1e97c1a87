import { useEffect, useMemo, useState } from 'react'

import { parseJsonText } from '../../../src/model/json-text.ts'
import type { JsonDocument, JsonNodes } from '../../../src/model/json-text.ts'

/** Longer texts are read in a worker: at some 50 MB/s this one takes about 2 ms. */
const INLINE_CHARACTERS = 100_000

/** The structure of a text; null while a worker reads it. */
export function useJsonDocument(text: string): JsonDocument | null {
  const isShort = text.length <= INLINE_CHARACTERS
  const short = useMemo(() => (isShort ? parseJsonText(text) : null), [isShort, text])
  const [long, setLong] = useState<JsonDocument | null>(null)
  useEffect(() => {
    if (isShort) return undefined
    return parseInWorker(text, setLong)
  }, [isShort, text])
  if (short !== null) return short
  return long?.text === text ? long : null
}

/** Calls `done` once, unless the returned function was called before. */
function parseInWorker(text: string, done: (document: JsonDocument) => void): () => void {
  const worker = new Worker(new URL('./json-worker.ts', import.meta.url), { type: 'module' })
  worker.addEventListener('message', (event: MessageEvent<JsonNodes>) => {
    worker.terminate()
    done({ text, ...event.data })
  })
  worker.addEventListener('error', () => {
    worker.terminate()
    done(parseJsonText(text))
  })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin to name
  worker.postMessage(text)
  return () => worker.terminate()
}
