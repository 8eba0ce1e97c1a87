import { useIsFetching, useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { useDatabase } from '../../api/database-context.ts'
import { useLiveValue } from '../../api/use-live.ts'
import { Button } from '../../ui/button.tsx'

/** A read that takes this long gets a button to stop it. */
const LONG_MS = 1_500

/** Stops what a server is being asked, on the server too; shown only once it takes long. */
export function StopReading() {
  const { client, databaseId } = useDatabase()
  const isServer = useLiveValue(({ report }) => report?.state.status === 'connected')
  const isReading = useIsFetching({ queryKey: [['db', databaseId]] }) > 0
  const isLong = useIsLong(isServer && isReading)
  const { mutate, isPending } = useMutation({ mutationFn: () => client.connection.cancel() })
  if (!isLong) return null
  return (
    <span className="stop-reading">
      reading…
      <Button disabled={isPending} onClick={() => mutate()} size="small" tone="danger">
        Stop
      </Button>
    </span>
  )
}

function useIsLong(isOn: boolean): boolean {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    if (!isOn) return undefined
    const timer = setTimeout(() => setLong(true), LONG_MS)
    return () => {
      clearTimeout(timer)
      setLong(false)
    }
  }, [isOn])
  return isLong
}
