import type { ComponentPropsWithRef, ReactNode } from 'react'

import { toVisible } from '../lib/format.ts'
import './chip.css'

type ChipTone = 'normal' | 'warning' | 'danger'

/** A rounded label that says something about the whole window. */
export function Chip({
  tone = 'normal',
  ...rest
}: ComponentPropsWithRef<'span'> & { readonly tone?: ChipTone }) {
  return <span {...rest} className="chip" data-tone={tone} />
}

/** The same, pressable. */
export function ChipButton({
  tone = 'normal',
  ...rest
}: ComponentPropsWithRef<'button'> & { readonly tone?: ChipTone }) {
  return <button type="button" {...rest} className="chip" data-tone={tone} />
}

/** A small square label beside a title or in a list. */
export function Tag({
  children,
  title,
}: {
  readonly children: ReactNode
  readonly title?: string
}) {
  return (
    <span className="tag" title={title}>
      {children}
    </span>
  )
}

/** A label that is on or off. */
export function ToggleTag({
  isOn,
  ...rest
}: ComponentPropsWithRef<'button'> & { readonly isOn: boolean }) {
  return <button type="button" {...rest} aria-pressed={isOn} className="tag" />
}

/** A state dot; always beside words that say the same. */
export function Dot({ tone }: { readonly tone: 'good' | 'warning' | 'bad' | 'off' }) {
  return <span aria-hidden="true" className="dot" data-tone={tone} />
}

/** A key as printed on the keyboard. */
export function Kbd({ children }: { readonly children: ReactNode }) {
  return <kbd className="kbd">{children}</kbd>
}

/** The name of a lane; any text. */
export function LaneTag({ name }: { readonly name: string }) {
  return (
    <span className="lane-tag isolate" title={`lane ${name}`}>
      {toVisible(name)}
    </span>
  )
}
