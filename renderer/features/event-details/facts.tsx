import type { ReactNode } from 'react'

/** Name and value pairs. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="details-facts">{children}</dl>
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
