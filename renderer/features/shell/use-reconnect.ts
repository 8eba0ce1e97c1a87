import { useMutation } from '@tanstack/react-query'

import { useDatabase } from '../../api/database-context.ts'
import { describeError, troubleOf } from '../../api/errors.ts'
import { host } from '../../api/host.ts'
import { showToast } from '../../ui/toasts.tsx'
import { type Secrets, useSecrets } from '../connect/use-secrets.ts'

/** Connects now instead of after the pause; asks for the password where that is what is lacking. */
export function useReconnect(): {
  readonly reconnect: () => void
  readonly isPending: boolean
  readonly secrets: Secrets
} {
  const { client, live, databaseId } = useDatabase()
  const secrets = useSecrets()
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      try {
        return await client.connection.reconnect()
      } catch (error) {
        const kind = troubleOf(error)?.kind
        if (kind !== 'auth-failed' && kind !== 'password-missing') throw error
        await secrets.run((held) => host.connections.open({ databaseId, secrets: held }))
        return client.connection.state()
      }
    },
    onSuccess: (report) => live.setReport(report),
    onError: (error) => {
      const { title, detail } = describeError(error)
      showToast({ tone: 'bad', text: `${title}. ${detail}` })
    },
  })
  return { reconnect: () => mutate(), isPending, secrets }
}
