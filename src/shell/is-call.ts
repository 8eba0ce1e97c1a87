/** As the RPC library writes them. */
const STREAM = 3
const ABORT = 4

/**
 * Whether a message of a page is one that the RPC library can read. It throws at any other, where nobody can catch
 * it, and that ends the process.
 */
export function isCall(data: unknown): boolean {
  const message = typeof data === 'string' ? parse(data) : data
  if (!isObject(message) || typeof message['i'] !== 'string') return false
  const { t: type = 1, p: content } = message
  if (type === ABORT) return true
  if (!isObject(content)) return false
  return type === STREAM || (type === 1 && isRequest(content, typeof data === 'string'))
}

function isRequest({ u, m, h }: Readonly<Record<string, unknown>>, isText: boolean): boolean {
  const isAddress =
    typeof u === 'string' && URL.canParse(u.startsWith('/') ? `http://localhost${u}` : u)
  if (!isAddress || (m !== undefined && typeof m !== 'string')) return false
  if (h === undefined) return true
  if (!isObject(h) || Object.values(h).some((value) => typeof value !== 'string')) return false
  // A text is read as its headers say: no files, no forms.
  return !isText || Object.entries(h).every(([name, value]) => isPlainHeader(name, value))
}

function isPlainHeader(name: string, value: unknown): boolean {
  const lower = name.toLowerCase()
  if (lower === 'content-type') return value === 'application/json'
  return lower !== 'content-disposition'
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
