import type { ClientContext, ClientLink } from '@orpc/client'

import { watchCall, watchStream } from '../../src/contract/lost-call.ts'

/**
 * A link to a process that may be ended while it works: a call whose process ended fails with a trouble of the
 * database, and `onStop` is told when a caller gives up, so that a process that does not hear it is ended.
 */
export function watchLink(
  link: ClientLink<ClientContext>,
  onStop: () => void,
): ClientLink<ClientContext> {
  return {
    async call(procedure, input, options) {
      // The screen knows which file it is about.
      const watched = { path: '', signal: options.signal, onStop }
      const output = await watchCall(async () => link.call(procedure, input, options), watched)
      return isStream(output) ? watchStream(output, watched) : output
    },
  }
}

function isStream(output: unknown): output is AsyncIterator<unknown> {
  return typeof output === 'object' && output !== null && Symbol.asyncIterator in output
}
