import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'

import { DatabaseContext, takeDatabase } from './database-context.ts'

/** Connects the screens below it to one database and listens to it. Give it the id as `key`. */
export function DatabaseProvider({
  databaseId,
  children,
}: {
  readonly databaseId: string
  readonly children: ReactNode
}) {
  const [database] = useState(() => takeDatabase(databaseId))
  useEffect(() => database.live.start(), [database])
  return <DatabaseContext value={database}>{children}</DatabaseContext>
}
