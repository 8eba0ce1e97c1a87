import { useId, useState } from 'react'
import type { KeyboardEvent } from 'react'

import { toVisible } from '../../lib/format.ts'
import { IconButton } from '../../ui/button.tsx'

interface FilterFieldProps {
  readonly label: string
  readonly placeholder: string
  readonly title?: string
  /** A value to take with one press. */
  readonly offer?: { readonly value: string; readonly label: string } | null
  /** undefined: not filtered; the empty text is a value. */
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

/** A filter by one exact value: it takes hold with Enter or on leaving the field. */
export function FilterField(props: FilterFieldProps) {
  const { label, placeholder, title, offer = null, value, onChange } = props

  const id = useId()
  const [text, setText] = useState(value ?? '')
  const [seen, setSeen] = useState(value)
  if (seen !== value) {
    setSeen(value)
    setText(value ?? '')
  }
  const take = (): void => {
    if (text !== (value ?? '')) onChange(text === '' ? undefined : text)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'Enter') take()
    if (event.key !== 'Escape') return
    event.preventDefault()
    if (text === (value ?? '')) event.currentTarget.blur()
    else setText(value ?? '')
  }
  return (
    <span className="search-filter" data-on={value !== undefined}>
      <label htmlFor={id}>{label}</label>
      <input
        autoComplete="off"
        id={id}
        onBlur={take}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        placeholder={value === undefined ? placeholder : toVisible(value)}
        spellCheck={false}
        title={title}
        type="text"
        value={text}
      />
      {offer !== null && value === undefined && text === '' && (
        <button
          className="search-filter-offer"
          onClick={() => onChange(offer.value)}
          title={toVisible(offer.value)}
          type="button"
        >
          {offer.label}
        </button>
      )}
      {value !== undefined && (
        <IconButton
          icon="close"
          iconSize={11}
          label={`Search ${placeholder}`}
          onClick={() => onChange(undefined)}
        />
      )}
    </span>
  )
}
