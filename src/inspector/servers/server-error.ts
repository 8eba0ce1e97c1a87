import type { connectionErrors } from '../../contract/index.ts'

type Code = Exclude<keyof typeof connectionErrors, 'DATABASE_TROUBLE' | 'UNSUPPORTED'>

/** An answer of the connection procedures that is not a success. `data` as the contract has it for the code. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly code: Code
  readonly data: unknown

  constructor(code: Code, data?: unknown) {
    super(code)
    this.code = code
    this.data = data
  }
}
