/**
 * Layout of the sessions route: list | main | side. The list column belongs to this folder; main and side
 * belong to `renderer/features/session/session-screen.tsx`, which exports `SessionScreen({ sessionId })`
 * and renders `SplitView` (renderer/ui/split-view.tsx) with the event's details, or null, as `side`.
 * Tab and event come from `useSessionsSearch()`, are changed with `useSetSessionsSearch()`.
 */
export function SessionsScreen() {
  return null
}
