import { useMutation } from '@tanstack/react-query'

import { showToast } from '../ui/toasts.tsx'
import { useDatabase } from './database-context.ts'
import { describeError } from './errors.ts'
import { useLiveValue } from './use-live.ts'

/** The lock on writing. It is enforced below the screens; this is its switch. */
export function useWriting() {
  const { client, live } = useDatabase()
  const isUnlocked = useLiveValue((state) => state.isWritingUnlocked)
  const { mutate, isPending } = useMutation({
    mutationFn: (unlock: boolean) => (unlock ? client.writing.unlock() : client.writing.lock()),
    onSuccess: ({ isUnlocked: isOpen, until }) => live.setWriting(isOpen, until),
    onError: (error) => {
      const { title, detail } = describeError(error)
      showToast({ tone: 'bad', text: `Writing stays locked. ${title}. ${detail}` })
    },
  })
  return { isUnlocked, isPending, setUnlocked: mutate }
}
