/** What one process of ours takes of an open database: what it holds now, and what it asked for so far. */
export type Footprint = SqliteFootprint | PostgresFootprint

interface SharedFootprint {
  /** Epoch ms; what is counted is counted since then. */
  readonly since: number
  /** Rows that were read, those of background work and of looking for changes included. */
  readonly rowsRead: number
  /** The last answer to a screen; null before the first. `at`: epoch ms. */
  readonly lastQuery: { readonly tookMs: number; readonly at: number } | null
  /** The longest pause between two looks for changes, as it is agreed now; null: nobody watches. */
  readonly refreshMs: number | null
}

export interface SqliteFootprint extends SharedFootprint {
  readonly dialect: 'sqlite'
  /** Handles that are open at this moment, a writing one included. */
  readonly openHandles: number
  readonly openTransactions: number
  /** The longest that one handle, and one transaction, was ever open. */
  readonly longestHandleMs: number
  readonly longestTransactionMs: number
  /** null without a -wal. */
  readonly walBytes: number | null
  /** How much the -wal grew since then, whoever wrote; negative when it was put away or begun anew. */
  readonly walGrowthBytes: number
}

/** What the server said it holds for all connections of this program by this user, other windows' included. */
export interface ServerHoldings {
  /** The look itself not counted. */
  readonly locks: number
  /** Since when the oldest transaction, and with it the oldest snapshot, is open; null: none is. */
  readonly oldestTransactionMs: number | null
  /** Epoch ms of this machine. */
  readonly at: number
}

export interface PostgresFootprint extends SharedFootprint {
  readonly dialect: 'postgres'
  /** Open connections of this process. */
  readonly connections: number
  /** null until it was looked, and while the server is away. */
  readonly holdings: ServerHoldings | null
}

/** Of two processes with the same database; the first is the one that answers the screens. */
export function addFootprints(screens: Footprint, other: Footprint): Footprint {
  const shared = {
    since: Math.min(screens.since, other.since),
    rowsRead: screens.rowsRead + other.rowsRead,
    lastQuery: screens.lastQuery ?? other.lastQuery,
    refreshMs: screens.refreshMs ?? other.refreshMs,
  }
  if (screens.dialect === 'sqlite' && other.dialect === 'sqlite') {
    const first = screens.since <= other.since ? screens : other
    return {
      ...screens,
      ...shared,
      openHandles: screens.openHandles + other.openHandles,
      openTransactions: screens.openTransactions + other.openTransactions,
      longestHandleMs: Math.max(screens.longestHandleMs, other.longestHandleMs),
      longestTransactionMs: Math.max(screens.longestTransactionMs, other.longestTransactionMs),
      walGrowthBytes: first.walGrowthBytes,
    }
  }
  if (screens.dialect === 'postgres' && other.dialect === 'postgres') {
    return {
      ...screens,
      ...shared,
      connections: screens.connections + other.connections,
      holdings: later(screens.holdings, other.holdings),
    }
  }
  return screens
}

/** Both speak of the same server: they are not added. */
function later(one: ServerHoldings | null, other: ServerHoldings | null): ServerHoldings | null {
  if (one === null || other === null) return one ?? other
  return one.at >= other.at ? one : other
}
