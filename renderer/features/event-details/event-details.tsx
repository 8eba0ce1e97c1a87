/** All that is known of one event. */
export function EventDetails(_props: {
  readonly sessionId: string
  readonly index: number
  readonly onClose: () => void
}) {
  return null
}
