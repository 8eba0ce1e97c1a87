// What the screens show of small.db, read off its rows by hand, with the rules of the store. Its claims ran out
// long ago, so whatever was running is expired.

/** As `readSessions` reads the list. */
export const SESSIONS: readonly string[] = [
  'scheduler:daily | 4 events | 2 expired | life 1',
  'import:catalog-2026-01 | 1 event | 1 ready | 145 to reclaim | life ≥ 2',
  'chat:サポート-東京 | 2 events | 2 to reclaim | life 2',
  'chat:demo | 0 events | life ≥ 2',
  'agent:research-7f3a | 10 events | 1 retrying | 5 blocked | 2 ready | 19 to reclaim | life ≥ 4',
  'order:ord_2026_000918 | 7 events | 1 dead | 1 retrying | 1 blocked | life 1',
  'order:ord_2026_000917 | 7 events | life 1',
  'support:ticket-48213 | 12 events | 3 expired | life 1',
]

const AGENT = `
Lifetime ≥ 4 current · #28–#37 · started @2026-01-12T10:30:34.800Z | 10 events
37 | caused by #28, attempt 1 | plan.written | plan | ready
36 | search.requested | web-1 | behind #30
35 | search.requested | web-0 | behind #31
34 | search.requested | web-1 | behind #30
33 | search.requested | web-0 | behind #31
32 | search.requested | web-1 | behind #30
31 | search.requested | web-0 | ready
30 | search.requested | web-1 | retrying · 1 failure
29 | search.requested | web-0 | processed: 4 m 2 s
28 | goal.set | processed: 4 m 1 s
#27 cleared · @2026-01-12T10:30:34.800Z
Lifetime ≥ 3 cleared · #18–#26 · not reclaimed yet | 9 events still on disk
26 | caused by #18, attempt 1 | plan.written | plan | abandoned by clear
25 | search.requested | web-0 | abandoned by clear
24 | search.requested | web-1 | abandoned by clear
23 | search.requested | web-0 | abandoned by clear
22 | search.requested | web-1 | abandoned by clear
21 | search.requested | web-0 | abandoned by clear
20 | search.requested | web-1 | processed
19 | search.requested | web-0 | processed
18 | goal.set | processed
#17 cleared · @2026-01-12T10:07:01.200Z
Lifetime ≥ 2 cleared · #9–#16 · not reclaimed yet | 8 events still on disk
16 | caused by #9, attempt 1 | plan.written | plan | abandoned by clear
15 | search.requested | web-1 | abandoned by clear
14 | search.requested | web-0 | abandoned by clear
13 | search.requested | web-1 | abandoned by clear
12 | search.requested | web-0 | abandoned by clear
11 | search.requested | web-1 | processed
10 | search.requested | web-0 | processed
9 | goal.set | processed
#8 cleared · @2026-01-12T09:43:57.600Z
Lifetime ≥ 1 reclaimed · #1–#7 | nothing left on disk`

/** The timeline of `agent:research-7f3a`, as `readTimeline` and `toWords` read it. */
export const AGENT_TIMELINE: readonly string[] = AGENT.trim().split('\n')
