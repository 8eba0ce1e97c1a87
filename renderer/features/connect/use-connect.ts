import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import type { KnownConnection } from '../../../src/contract/index.ts'
import type { ConnectionSettings, ConnectionTest } from '../../../src/model/connection.ts'
import { host, hostQueries } from '../../api/host.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useOpenDatabase } from '../start/use-open-database.ts'
import type { ConnectionForm } from './use-connection-form.ts'
import type { Secrets } from './use-secrets.ts'

type Doing = 'test' | 'save' | 'connect'

/** What the last button led to. */
export type ConnectResult =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'running'; readonly doing: Doing }
  | { readonly kind: 'found'; readonly test: ConnectionTest; readonly tookMs: number }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'incomplete'; readonly words: string }

interface ConnectOptions {
  readonly form: ConnectionForm
  readonly secrets: Secrets
  readonly saved: KnownConnection | null
  readonly onSaved: (connection: KnownConnection) => void
}

/** The three buttons of the form. */
export function useConnect({ form, secrets, saved, onSaved }: ConnectOptions) {
  const queries = useQueryClient()
  const { goTo } = useOpenDatabase()
  const [result, setResult] = useState<ConnectResult>({ kind: 'nothing' })
  const databaseId = saved?.databaseId ?? null
  const perform = async (
    doing: Doing,
    act: (settings: ConnectionSettings) => Promise<ConnectResult | null>,
  ) => {
    setResult({ kind: 'running', doing })
    try {
      const checked = await form.check()
      if (!checked.ok) return setResult({ kind: 'incomplete', words: checked.words })
      setResult((await act(checked.settings)) ?? { kind: 'nothing' })
    } catch (error) {
      setResult({ kind: 'failed', error })
    }
    return undefined
  }
  const listAnew = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: hostQueries.files.key() }),
      queries.invalidateQueries({ queryKey: hostQueries.connections.list.key() }),
    ])
  const save = async (settings: ConnectionSettings, name: string) => {
    const connection = await host.connections.save({
      databaseId,
      name,
      settings,
      secrets: secrets.held,
    })
    await listAnew()
    return connection
  }
  return {
    result,
    clear: () => setResult({ kind: 'nothing' }),
    test: () =>
      void perform('test', async (settings) => {
        let startedAt = 0
        const test = await secrets.run((held) => {
          startedAt = performance.now()
          return host.connections.test({ settings, databaseId, secrets: held })
        })
        const tookMs = performance.now() - startedAt
        return test === null ? null : { kind: 'found', test, tookMs }
      }),
    save: (name: string) =>
      void perform('save', async (settings) => {
        const connection = await save(settings, name.trim())
        showToast({ tone: 'good', text: `Saved as ${connection.name ?? name}.` })
        onSaved(connection)
        return null
      }),
    /** With a name it is saved first, and the saved one is opened. */
    connect: (name: string) =>
      void perform('connect', async (settings) => {
        const kept = name.trim() === '' ? null : await save(settings, name.trim())
        const opened = await secrets.run((held) =>
          host.connections.open(
            kept === null
              ? { settings, secrets: held }
              : { databaseId: kept.databaseId, secrets: held },
          ),
        )
        if (opened === null) return null
        await listAnew()
        await goTo(opened.databaseId)
        return null
      }),
  }
}
