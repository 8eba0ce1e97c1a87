import { useEffect, useState } from 'react'

import { copyText } from '../lib/copy-text.ts'
import { IconButton } from './button.tsx'

/** Copies a text and shows for a moment that it did. */
export function CopyButton({
  text,
  label,
}: {
  readonly text: string | (() => string)
  /** `Copy id`, `Copy path`, … */
  readonly label: string
}) {
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    if (!isDone) return undefined
    const timer = setTimeout(() => setDone(false), 1_200)
    return () => clearTimeout(timer)
  }, [isDone])
  const copy = async () => {
    setDone(await copyText(typeof text === 'string' ? text : text()))
  }
  return (
    <IconButton
      icon={isDone ? 'check' : 'copy'}
      iconSize={13}
      label={isDone ? 'Copied' : label}
      onClick={() => void copy()}
    />
  )
}
