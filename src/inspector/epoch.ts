/** Goes up when all that was read before may be wrong. */
export interface Epoch {
  /** Another file stands under the path, or the same one went back in time. */
  readonly file: number
  /** Tables, indexes or rowids changed. */
  readonly schema: number
  readonly reason: 'replaced' | 'restored'
}
