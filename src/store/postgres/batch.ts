import { type Client, type Connection as Protocol, type CustomTypesConfig, Query } from 'pg'

export type Row = Readonly<Record<string, unknown>>

export interface BatchStatement {
  readonly sql: string
  readonly params: readonly unknown[]
  /** Under this name it is prepared, once a connection. */
  readonly name: string | undefined
}

/** Names of what is prepared in a connection. */
const prepared = new WeakMap<Client, Set<string>>()

/**
 * Sends statements as one message to the server and answers the rows of each. Where one fails, the server
 * passes over the rest: what follows a `begin` that failed is not run outside of a transaction.
 */
export async function sendBatch(
  client: Client,
  statements: readonly BatchStatement[],
  types: CustomTypesConfig,
): Promise<Row[][]> {
  const names = prepared.get(client) ?? new Set()
  prepared.set(client, names)
  const fresh = new Set<string>()
  const texts = statements.map(({ params }) => params.map(toText))
  const send = (protocol: Protocol): void => {
    for (const [at, { sql, name = '' }] of statements.entries()) {
      if (name === '' || !(names.has(name) || fresh.has(name))) parse(protocol, sql, name)
      if (name !== '') fresh.add(name)
      protocol.bind({ statement: name, values: texts[at] }, MORE)
      protocol.describe({ type: 'P' }, MORE)
      protocol.execute(null, MORE)
    }
    protocol.sync()
  }
  const results = await new Promise<Result | Result[]>((resolve, reject) => {
    const text = statements.map(({ sql }) => sql).join(';\n')
    const query = new Query<Row>({ text, types }, (error, result) => {
      if (error instanceof Error) reject(error)
      else resolve(result)
    })
    // The driver's own query sends but one statement; it reads the answers of several.
    query.submit = (protocol) => {
      protocol.stream.cork()
      try {
        send(protocol)
      } finally {
        protocol.stream.uncork()
      }
    }
    client.query(query)
  })
  // After a failure it is not known which of them are there.
  for (const name of fresh) names.add(name)
  return [results].flat().map(({ rows }) => rows)
}

type Result = { readonly rows: Row[] }

/** The driver's types ask for an argument that it has no use for any more. */
const MORE = true

function parse(protocol: Protocol, sql: string, name: string): void {
  // One that was prepared in a batch that failed may be there.
  if (name !== '') protocol.close({ type: 'S', name }, MORE)
  protocol.parse({ name, text: sql, types: [] }, MORE)
}

/** A parameter as the server reads it. */
function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return `{${value.map(toElement).join(',')}}`
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new TypeError(`no parameter can be a ${typeof value}`)
}

function toElement(value: unknown): string {
  const text = toText(value)
  return text === null ? 'NULL' : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
