import { eventIterator, oc, type } from '@orpc/contract'
import { z } from 'zod'

import type { SearchMessage } from '../model/search.ts'
import { SEARCH_SCOPES } from '../model/search.ts'
import { databaseErrors } from './errors.ts'

const text = z.string().refine((value) => value.isWellFormed(), 'not well-formed Unicode')
const backgroundProcedure = oc.errors(databaseErrors)

/** What takes its time: a second router beside `databaseContract`, so that nothing on screen waits for it. */
export const backgroundContract = {
  /** Hits as they are found, newest first; ending the iteration stops the search. */
  search: backgroundProcedure
    .input(
      z.object({
        text: text.max(4096),
        matchCase: z.boolean(),
        sessionId: text.nullable(),
        eventType: text.nullable(),
        scope: z.enum(SEARCH_SCOPES),
      }),
    )
    .output(eventIterator(type<SearchMessage>())),
}
