import type { ComponentPropsWithRef } from 'react'

import './button.css'
import { Icon } from './icons.tsx'
import type { IconName } from './icons.tsx'

interface ButtonProps extends ComponentPropsWithRef<'button'> {
  readonly tone?: 'normal' | 'primary' | 'danger' | 'plain'
  readonly size?: 'small' | 'normal' | 'large'
}

export function Button({ tone = 'normal', size = 'normal', className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={className === undefined ? 'btn' : `btn ${className}`}
      data-size={size}
      data-tone={tone}
    />
  )
}

interface IconButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'children' | 'aria-label'> {
  readonly icon: IconName
  /** Spoken name, and shown on hover. */
  readonly label: string
  readonly iconSize?: number
}

export function IconButton({ icon, label, iconSize = 14, className, ...rest }: IconButtonProps) {
  return (
    <button
      title={label}
      type="button"
      {...rest}
      aria-label={label}
      className={className === undefined ? 'icon-btn' : `icon-btn ${className}`}
    >
      <Icon name={icon} size={iconSize} />
    </button>
  )
}
