/** What was asked for is not stored (any more). */
export class NotFound extends Error {
  override readonly name = 'NotFound'
  readonly what: 'session' | 'event' | 'snapshot' | 'view'

  constructor(what: NotFound['what']) {
    super(`no such ${what}`)
    this.what = what
  }
}

/** The value, or NotFound. */
export function found<T>(value: T | undefined, what: NotFound['what']): T {
  if (value === undefined) throw new NotFound(what)
  return value
}
