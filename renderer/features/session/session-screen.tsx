/** The main and side columns of one session. */
export function SessionScreen(_props: { readonly sessionId: string }) {
  return null
}
