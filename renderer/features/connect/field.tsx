import type { ReactNode } from 'react'

import './connect.css'

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** What is used while it is empty. */
  readonly placeholder?: string | undefined
  readonly hint?: string
}

/** A line of text with its name above it; nothing typed here is remembered by the browser. */
export function TextField({ label, value, onChange, placeholder, hint }: FieldProps) {
  return (
    <label className="field" title={hint}>
      <span>{label}</span>
      <input
        autoCapitalize="off"
        autoComplete="off"
        autoCorrect="off"
        className="input mono"
        onChange={(event) => onChange(event.target.value)}
        placeholder={placeholder}
        spellCheck={false}
        value={value}
      />
    </label>
  )
}

interface ChoiceFieldProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly {
    readonly value: T
    readonly name: string
    readonly isOff?: boolean
  }[]
  readonly onChange: (value: T) => void
}

/** One of a few. */
export function ChoiceField<T extends string>(props: ChoiceFieldProps<T>) {
  const { label, value, options, onChange } = props
  return (
    <label className="field">
      <span>{label}</span>
      <select
        className="input"
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.target.value)
          if (chosen !== undefined) onChange(chosen.value)
        }}
        value={value}
      >
        {options.map((option) => (
          <option disabled={option.isOff === true} key={option.value} value={option.value}>
            {option.name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Fields side by side where there is room. */
export function FieldRow({
  columns,
  children,
}: {
  readonly columns: 'place' | 'role' | 'halves' | 'thirds'
  readonly children: ReactNode
}) {
  return (
    <div className="field-row" data-columns={columns}>
      {children}
    </div>
  )
}
