import { implement, ORPCError } from '@orpc/server'

import { databaseContract } from '../contract/database-contract.ts'
import { connectionErrors, databaseErrors } from '../contract/errors.ts'
import type { Footprint } from '../model/footprint.ts'
import { StoreTrouble } from '../store/trouble.ts'
import type { Actions } from './actions/actions.ts'
import type { ConnectionProcedures } from './connection-procedures.ts'
import type { DeadLetters } from './dead-letters.ts'
import type { Events } from './events.ts'
import { NotFound } from './not-found.ts'
import type { Reader } from './reader.ts'
import type { Sessions } from './sessions.ts'
import type { Tail } from './tail.ts'
import { ServerError } from './servers/server-error.ts'
import { type WriteLock, WritingLocked } from './write-lock.ts'

export interface Services {
  readonly reader: Reader
  readonly footprint: () => Footprint
  readonly sessions: Sessions
  readonly events: Events
  readonly deadLetters: DeadLetters
  readonly lock: WriteLock
  readonly connection: ConnectionProcedures
  readonly actions: Actions
  readonly tail: Tail
}

/** Each procedure of the contract, answered by one service. */
export function makeRouter({ reader, sessions, events, deadLetters, ...rest }: Services) {
  const { lock, connection, actions, tail } = rest
  const os = implement(databaseContract).use(async ({ next }) => {
    try {
      return await next()
    } catch (error) {
      throw toApiError(error)
    }
  })
  return os.router({
    facts: os.facts.handler(() => reader.facts()),
    footprint: os.footprint.handler(() => rest.footprint()),
    sessions: {
      view: os.sessions.view.handler(({ input }) => sessions.view(input)),
      counts: os.sessions.counts.handler(({ input }) => sessions.counts(input)),
      rows: os.sessions.rows.handler(({ input }) => sessions.rows(input)),
      get: os.sessions.get.handler(({ input }) => sessions.get(input.sessionId)),
      find: os.sessions.find.handler(({ input }) => sessions.find(input)),
    },
    events: {
      range: os.events.range.handler(({ input }) => events.range(input)),
      get: os.events.get.handler(({ input }) => events.get(input)),
      payload: os.events.payload.handler(({ input }) => events.payload(input)),
      locate: os.events.locate.handler(({ input, signal }) => events.locate(input.eventId, signal)),
    },
    snapshots: {
      list: os.snapshots.list.handler(({ input }) => reader.snapshots(input.sessionId)),
      state: os.snapshots.state.handler(({ input }) => events.state(input)),
    },
    deadLetters: {
      view: os.deadLetters.view.handler(({ input }) => deadLetters.view(input)),
      rows: os.deadLetters.rows.handler(({ input }) => deadLetters.rows(input)),
    },
    presence: os.presence.handler(() => reader.presence()),
    writing: {
      unlock: os.writing.unlock.handler(() => lock.set(true)),
      lock: os.writing.lock.handler(() => lock.set(false)),
    },
    connection: {
      state: os.connection.state.handler(() => connection.report()),
      reconnect: os.connection.reconnect.handler(() => connection.reconnect()),
      cancel: os.connection.cancel.handler(() => connection.cancel()),
    },
    actions: {
      previewClear: os.actions.previewClear.handler(({ input }) => actions.previewClear(input)),
      clear: os.actions.clear.handler(({ input }) => actions.clear(input)),
      previewReclaim: os.actions.previewReclaim.handler(({ input }) =>
        actions.previewReclaim(input),
      ),
      reclaim: os.actions.reclaim.handler(({ input }) => withApiErrors(actions.reclaim(input))),
      stopReclaim: os.actions.stopReclaim.handler(({ input }) => actions.stopReclaim(input)),
      previewRedrive: os.actions.previewRedrive.handler(({ input }) =>
        actions.previewRedrive(input),
      ),
      redrive: os.actions.redrive.handler(({ input }) => actions.redrive(input)),
    },
    audit: os.audit.handler(({ input }) => actions.audit(input)),
    live: os.live.handler(({ input, signal }) => tail.subscribe(input, signal)),
  })
}

/** An iteration fails after its procedure has answered. */
export async function* withApiErrors<T>(
  steps: AsyncGenerator<T, undefined>,
): AsyncGenerator<T, undefined> {
  try {
    return yield* steps
  } catch (error) {
    throw toApiError(error)
  }
}

/** The one place where our errors become the API's. One whose status is not the contract's would count as a defect. */
export function toApiError(error: unknown): unknown {
  if (error instanceof StoreTrouble) {
    const { status } = databaseErrors.DATABASE_TROUBLE
    return new ORPCError('DATABASE_TROUBLE', { status, data: error.trouble, cause: error })
  }
  if (error instanceof NotFound) {
    return new ORPCError('NOT_FOUND', { data: { what: error.what }, cause: error })
  }
  if (error instanceof ServerError) {
    const { status } = connectionErrors[error.code]
    return new ORPCError(error.code, { status, data: error.data, cause: error })
  }
  if (error instanceof WritingLocked) {
    const { status } = databaseErrors.WRITING_LOCKED
    return new ORPCError('WRITING_LOCKED', { status, cause: error })
  }
  return error
}
