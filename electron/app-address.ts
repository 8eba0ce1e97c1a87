/** Where the screens live. A scheme of our own: no port, no other program can answer. */
export const APP_SCHEME = 'app'
const APP_ORIGIN = 'app://inspector'

export function screenUrl(databaseId: string | null): string {
  return databaseId === null ? `${APP_ORIGIN}/` : `${APP_ORIGIN}/d/${databaseId}`
}

/** The database a screen is about; null: the start screen, or no screen of ours. */
export function databaseIdOf(url: string): string | null {
  if (!isOurs(url)) return null
  return /^\/d\/([\w-]+)(\/|$)/.exec(new URL(url).pathname)?.[1] ?? null
}

export function isOurs(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}` === APP_ORIGIN
}
