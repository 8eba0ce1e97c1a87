import { ORPCError } from '@orpc/server'

/** An interceptor for every handler: defects of ours are logged, expected errors are answers. */
export async function logDefects<T>(call: { next(): Promise<T> }): Promise<T> {
  try {
    return await call.next()
  } catch (error) {
    if (isDefect(error)) logDefect(error)
    throw error
  }
}

export function logDefect(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`A2 Inspector: ${text}\n`)
}

function isDefect(error: unknown): boolean {
  if (error instanceof ORPCError) return error.status >= 500 && !error.defined
  return !(error instanceof Error && error.name === 'AbortError')
}
