import type { DatabaseTrouble } from '../model/database.ts'

/**
 * The database cannot be read or written now. Made by the dialects from driver codes and file facts,
 * never from message text.
 */
export class StoreTrouble extends Error {
  override readonly name = 'StoreTrouble'
  readonly trouble: DatabaseTrouble
  /** True when a write may or may not have happened: look it up, never repeat it blindly. */
  readonly isOutcomeUnknown: boolean

  constructor(
    trouble: DatabaseTrouble,
    { isOutcomeUnknown = false, ...options }: ErrorOptions & { isOutcomeUnknown?: boolean } = {},
  ) {
    super(
      `${trouble.kind}${trouble.code === null ? '' : ` (${trouble.code})`}: ${trouble.path}`,
      options,
    )
    this.trouble = trouble
    this.isOutcomeUnknown = isOutcomeUnknown
  }
}
