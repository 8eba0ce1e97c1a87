import type { DatabaseTrouble } from '../model/database.ts'

/**
 * The database cannot be read or written now. Made by the dialects from driver codes and file facts,
 * never from message text.
 */
export class StoreTrouble extends Error {
  override readonly name = 'StoreTrouble'
  readonly trouble: DatabaseTrouble

  constructor(trouble: DatabaseTrouble, options?: ErrorOptions) {
    super(
      `${trouble.kind}${trouble.code === null ? '' : ` (${trouble.code})`}: ${trouble.path}`,
      options,
    )
    this.trouble = trouble
  }
}
