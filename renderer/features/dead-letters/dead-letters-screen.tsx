export function DeadLettersScreen() {
  return null
}
