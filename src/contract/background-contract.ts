import { eventIterator, oc, type } from '@orpc/contract'
import { z } from 'zod'

import type { SearchMessage } from '../model/search.ts'
import { SEARCH_SCOPES } from '../model/search.ts'
import { databaseErrors } from './errors.ts'

const text = z.string().refine((value) => value.isWellFormed(), 'not well-formed Unicode')
const count = z.int().min(0)
const backgroundProcedure = oc.errors(databaseErrors)

const searchPlace = z.discriminatedUnion('by', [
  z.object({ by: z.literal('rowid'), newest: count, through: count }),
  z.object({ by: z.literal('block'), blocks: count, block: count, line: count, floor: count }),
  z.object({ by: z.literal('index'), first: z.int(), head: z.int(), through: z.int() }),
  z.object({
    by: z.literal('key'),
    after: z.object({ session: text, index: z.int() }).nullable(),
    looked: count,
  }),
])

/** What takes its time: a second router beside `databaseContract`, so that nothing on screen waits for it. */
export const backgroundContract = {
  /**
   * Events that hold a text, as they are found, newest first; those below the clear marker too. `text` may be empty
   * where a type is named: that finds every event of it. `eventType` is exact, or ends with `*`. `after`: goes on
   * where a step ended. An event that is written to during the search may be found as it was, or, where that moves
   * it within its table, in a later step or not at all. Ending the iteration stops it within one slice.
   * DATABASE_TROUBLE may come at any time; what came before holds.
   */
  search: backgroundProcedure
    .input(
      z
        .object({
          text: text.max(4096),
          matchCase: z.boolean(),
          sessionId: text.nullable(),
          eventType: text.max(4096).nullable(),
          scope: z.enum(SEARCH_SCOPES),
          after: z
            .object({ place: searchPlace, file: z.string().nullable() })
            .nullable()
            .default(null),
        })
        .refine((input) => input.text !== '' || input.eventType !== null, 'nothing to look for'),
    )
    .output(eventIterator(type<SearchMessage>())),
}
