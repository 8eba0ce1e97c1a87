import { StandardRPCJsonSerializer, StandardRPCSerializer } from '@orpc/client/standard'

/**
 * For `experimental_transfer` of both ends of a message port: what is called with, answered or told goes as it is.
 * Written as text, it would have to be read again, which takes longer than all of the way. The beginnings and ends of
 * streams, and whatever is no plain answer, go as the transport sends them by itself.
 */
export function asClones([, , payload]: readonly unknown[]): [] | null {
  return isPlain(payload) ? [] : null
}

function isPlain(payload: unknown): boolean {
  if (typeof payload !== 'object' || payload === null) return false
  const content = 'body' in payload ? payload.body : 'data' in payload ? payload.data : undefined
  // As the serializer has left it.
  return typeof content === 'object' && content !== null && 'json' in content
}

/** A clone holds all that we send. Only a text has something written beside it, of what it cannot hold. */
class CloneSerializer extends StandardRPCJsonSerializer {
  override serialize(data: unknown): ReturnType<StandardRPCJsonSerializer['serialize']> {
    return [data, [], [], []]
  }
}

/** Sends everything as it is; for both ends of a port. */
export const cloneSerializer = new StandardRPCSerializer(new CloneSerializer())
