import { ORPCError } from '@orpc/client'
import { QueryClient } from '@tanstack/react-query'

/** Marks a query whose answer is read once and not again on every change: frozen views, parts of payloads. */
export const READ_ONCE = { isReadOnce: true } as const

/** Marks a query of the frame: a stop means the screen, so what was stopped with it is read again at the next change. */
export const OF_THE_FRAME = { isOfTheFrame: true } as const

/**
 * Everything is local: no network state is consulted. Answers stay until a live change invalidates them.
 * A named error is an answer; only a lost connection is tried again by itself.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 60_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (failures, error) => !(error instanceof ORPCError) && failures < 4,
      retryDelay: (failures) => Math.min(2_000, 150 * 2 ** failures),
    },
    mutations: { networkMode: 'always', retry: false },
  },
})
