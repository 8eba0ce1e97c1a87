export function DatabaseShell() {
  return null
}
