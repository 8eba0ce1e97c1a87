import type { Goal } from './goal.ts'
import { cancel } from './goals/cancel.ts'
import { frames, tailLatency, writerInPeace } from './goals/live.ts'
import { jumpToTheEnd, tenTimesAsBig } from './goals/pages.ts'
import { pageEndToEnd, pageWhileMainIsBlocked, pageWhileSearching } from './goals/ports.ts'
import { peers } from './goals/peers.ts'
import { search } from './goals/searching.ts'
import { server } from './goals/server.ts'
import { noTrace } from './goals/trace.ts'
import {
  allSessions,
  firstSessions,
  recentSessions,
  sessionsWithoutCounting,
} from './goals/sessions.ts'
import { launch } from './goals/start.ts'
import { countingByIndex, countingPass, firstDeadLetters, recheck } from './goals/work.ts'

type GoalNumber =
  | 1
  | 2
  | 3
  | 4
  | 5
  | 6
  | 7
  | 8
  | 9
  | 10
  | 11
  | 12
  | 13
  | 14
  | 15
  | 16
  | 17
  | 18
  | 19
  | 20
  | 21
  | 22

/** Every goal there is: none can be left out without the compiler saying so. */
export const GOALS: Readonly<Record<GoalNumber, Goal>> = {
  1: allSessions,
  2: sessionsWithoutCounting,
  3: firstSessions,
  4: recentSessions,
  5: tenTimesAsBig,
  6: jumpToTheEnd,
  7: launch,
  8: countingPass,
  9: firstDeadLetters,
  10: countingByIndex,
  11: recheck,
  12: search,
  13: pageEndToEnd,
  14: pageWhileSearching,
  15: pageWhileMainIsBlocked,
  16: frames,
  17: tailLatency,
  18: writerInPeace,
  19: cancel,
  20: noTrace,
  21: server,
  22: peers,
}
