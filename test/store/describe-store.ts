import { afterEach, beforeEach, describe } from 'vitest'

import { describeAppend } from './suite/append.ts'
import { describeClaim } from './suite/claim.ts'
import { describeClear } from './suite/clear.ts'
import { describeComplete } from './suite/complete.ts'
import { describeFail } from './suite/fail.ts'
import { describeLifecycle } from './suite/lifecycle.ts'
import { describePresence } from './suite/presence.ts'
import { describeRead } from './suite/read.ts'
import { describeReclaim } from './suite/reclaim.ts'
import { describeRedrive } from './suite/redrive.ts'
import { describeSnapshots } from './suite/snapshots.ts'
import { describeStream } from './suite/stream.ts'
import { describeValues } from './suite/values.ts'
import { type Backend, makeWorld, type World } from './world.ts'

const PARTS: Readonly<Record<string, (world: () => World) => void>> = {
  append: describeAppend,
  read: describeRead,
  'claim and renew': describeClaim,
  complete: describeComplete,
  'fail and dead letters': describeFail,
  redrive: describeRedrive,
  snapshots: describeSnapshots,
  clear: describeClear,
  reclaim: describeReclaim,
  stream: describeStream,
  presence: describePresence,
  values: describeValues,
  'opening and closing': describeLifecycle,
}

/** What a store must do, on whichever database: one suite for all of them. */
export function describeStore(backend: Backend): void {
  describe(backend.name, () => {
    const world = useWorld(backend)
    for (const [name, describePart] of Object.entries(PARTS))
      describe(name, () => {
        describePart(world)
      })
  })
}

/** A world of its own for every test; what a test leaves open fails it. */
export function useWorld(backend: Backend): () => World {
  let world: World | undefined
  beforeEach(async () => {
    world = await makeWorld(backend)
  })
  afterEach(async () => {
    await world?.finish()
    world = undefined
  })
  return () => {
    if (world === undefined) throw new Error('a world exists during a test only')
    return world
  }
}
