export function PresenceScreen() {
  return null
}
