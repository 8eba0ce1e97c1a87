/** Whether a message of another process is of one of these kinds. */
export function hasKind(message: unknown, kinds: readonly string[]): message is { kind: string } {
  return (
    typeof message === 'object' &&
    message !== null &&
    'kind' in message &&
    typeof message.kind === 'string' &&
    kinds.includes(message.kind)
  )
}
