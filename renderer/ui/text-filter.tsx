import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'

import { handKeyTo } from '../lib/use-first-keys.ts'
import { useHotkeys } from '../lib/use-hotkeys.ts'
import { useCommands } from '../state/commands.ts'
import { IconButton } from './button.tsx'
import { Kbd } from './chip.tsx'
import './list.css'

const DELAY_MS = 120

interface TextFilterProps {
  readonly label: string
  readonly placeholder?: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A filter that follows the address, and moves it after a short pause in typing. `/` focuses it, ↓ leads to its list. */
export function TextFilter({ label, placeholder = 'Filter', value, onChange }: TextFilterProps) {
  const field = useRef<HTMLInputElement>(null)
  const { text, setText, setNow } = useDebounced(value, onChange)
  const focus = () => field.current?.select()
  useHotkeys({ '/': focus })
  useCommands({ find: focus })
  return (
    <div className="filter-field">
      <input
        aria-keyshortcuts="/"
        aria-label={label}
        autoComplete="off"
        className="input"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') return goToList(event)
          if (event.key !== 'Escape') return undefined
          event.preventDefault()
          return text === '' ? field.current?.blur() : setNow('')
        }}
        placeholder={placeholder}
        ref={field}
        spellCheck={false}
        type="search"
        value={text}
      />
      {text === '' ? (
        <Kbd>/</Kbd>
      ) : (
        <IconButton icon="close" iconSize={12} label="Clear filter" onClick={() => setNow('')} />
      )}
    </div>
  )
}

function goToList(event: KeyboardEvent<HTMLElement>): void {
  const part = event.currentTarget.closest('section, .split-main')
  const list = part?.querySelector<HTMLElement>('[role=listbox], [role=grid]')
  if (list === null || list === undefined) return
  event.preventDefault()
  handKeyTo(list, event.key)
}

function useDebounced(value: string, onChange: (value: string) => void) {
  const [text, setText] = useState(value)
  const [seen, setSeen] = useState(value)
  // Back, forward or a button changed the address: the field follows.
  if (value !== seen) {
    setSeen(value)
    setText(value)
  }
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
  })
  useEffect(() => {
    if (text === value) return undefined
    const timer = setTimeout(() => latest.current(text), DELAY_MS)
    return () => clearTimeout(timer)
  }, [text, value])
  const setNow = (next: string): void => {
    setText(next)
    onChange(next)
  }
  return { text, setText, setNow }
}
