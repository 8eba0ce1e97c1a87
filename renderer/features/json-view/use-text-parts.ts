import { useCallback, useEffect, useRef, useState } from 'react'

import type { TextPart } from '../../../src/model/event.ts'

export interface LoadedText {
  readonly text: string
  readonly totalBytes: number
  readonly loadedBytes: number
  readonly isComplete: boolean
  readonly isLoading: boolean
  readonly error: unknown
  readonly hasInvalidUtf8: boolean
  readonly storage: string
  /** Loads everything that is missing, part by part. */
  readonly loadAll: () => void
  /** Stops after the current part; what was loaded is dropped. */
  readonly stop: () => void
}

interface Rest {
  /** The first part it continues. */
  readonly of: TextPart
  readonly parts: readonly TextPart[]
  readonly isLoading: boolean
  readonly error: unknown
}

/** A long text of which the first part is there and the rest comes on demand. */
export function useTextParts(
  first: TextPart,
  loadPart: (offsetBytes: number) => Promise<TextPart>,
): LoadedText {
  const [rest, setRest] = useState<Rest | null>(null)
  const [whole, setWhole] = useState<{ readonly of: TextPart; readonly text: string } | null>(null)
  const run = useRef(0)
  const current = rest?.of === first ? rest : null
  const stop = useCallback(() => {
    run.current += 1
    setRest(null)
  }, [])
  useEffect(() => stop, [stop])
  const loadAll = useCallback(() => {
    run.current += 1
    const mine = run.current
    const isMine = () => run.current === mine
    void loadRest(first, loadPart, (next) => {
      if (!isMine()) return false
      setRest(next)
      if (isWhole(next)) setWhole({ of: first, text: join(next) })
      return true
    })
  }, [first, loadPart])
  const last = current?.parts.at(-1) ?? first
  const isComplete = last.nextOffsetBytes === null
  return {
    // While parts come in the screen keeps what it shows: reading a structure anew for each would cost more.
    text: isComplete && whole?.of === first ? whole.text : first.text,
    totalBytes: first.totalBytes,
    loadedBytes: last.nextOffsetBytes ?? first.totalBytes,
    isComplete,
    isLoading: current?.isLoading ?? false,
    error: current?.error ?? null,
    hasInvalidUtf8:
      first.hasInvalidUtf8 || (current?.parts.some((part) => part.hasInvalidUtf8) ?? false),
    storage: first.storage,
    loadAll,
    stop,
  }
}

async function loadRest(
  first: TextPart,
  loadPart: (offsetBytes: number) => Promise<TextPart>,
  publish: (rest: Rest) => boolean,
): Promise<void> {
  const parts: TextPart[] = []
  let offset = first.nextOffsetBytes
  try {
    while (offset !== null) {
      if (!publish({ of: first, parts: [...parts], isLoading: true, error: null })) return
      // One after the other on purpose: the process behind answers other questions in between.
      // oxlint-disable-next-line no-await-in-loop
      const part = await loadPart(offset)
      parts.push(part)
      offset = part.nextOffsetBytes
    }
    publish({ of: first, parts, isLoading: false, error: null })
  } catch (error) {
    publish({ of: first, parts: [], isLoading: false, error })
  }
}

function isWhole({ parts, isLoading, error }: Rest): boolean {
  return !isLoading && error === null && parts.length > 0
}

function join({ of, parts }: Rest): string {
  return of.text + parts.map((part) => part.text).join('')
}
