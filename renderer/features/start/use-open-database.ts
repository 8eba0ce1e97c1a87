import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'

import type { OpenedDatabase } from '../../../src/contract/index.ts'
import { describeError } from '../../api/errors.ts'
import { host, hostQueries, useHostInfo } from '../../api/host.ts'
import { readSessionsSearch } from '../../routes/search.ts'
import { showToast } from '../../ui/toasts.tsx'

/** The ways to open a database. Each ends on its sessions, or on the screen that says what is wrong with it. */
export function useOpenDatabase() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const info = useHostInfo()
  const { mutate, isPending } = useMutation({
    mutationFn: (open: () => Promise<OpenedDatabase | null>) => open(),
    onSuccess: async (opened) => {
      if (opened === null) return
      await queries.invalidateQueries({ queryKey: hostQueries.files.key() })
      await goTo(opened.databaseId)
    },
    onError: (error) => {
      const { title, detail } = describeError(error)
      showToast({ tone: 'bad', text: `${title}. ${detail}` })
    },
  })
  const goTo = (databaseId: string) =>
    navigate({
      to: '/d/$databaseId/sessions',
      params: { databaseId },
      search: readSessionsSearch({}),
    })
  return {
    isPending,
    goTo,
    openPath: (path: string) => mutate(() => host.open({ path })),
    openSample: () => mutate(() => host.openSample()),
    /** The native dialog; without one, the start screen with its path field. */
    openDialog: () => {
      if (info?.canShowDialog === true) mutate(() => host.showOpenDialog())
      else void navigate({ to: '/' })
    },
  }
}
