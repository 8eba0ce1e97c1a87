import { useCallback, useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useNavigate } from '@tanstack/react-router'

import type { OpenedDatabase } from '../../../src/contract/index.ts'
import { host } from '../../api/host.ts'
import { Button } from '../../ui/button.tsx'
import { LoadingState } from '../../ui/states.tsx'
import { SecretDialog } from '../connect/secret-dialog.tsx'
import { useSecrets } from '../connect/use-secrets.ts'
import { TroubleScreen } from './trouble-screen.tsx'

type Way = { readonly status: 'opening' | 'open' } | { readonly status: 'failed'; error: unknown }

interface ConnectionGateProps {
  readonly opened: Extract<OpenedDatabase, { kind: 'connection' }>
  readonly children: ReactNode
}

/** Connects before the screens below it are shown, and asks for what the server wants to know. */
export function ConnectionGate({ opened, children }: ConnectionGateProps) {
  const { databaseId, path } = opened
  const navigate = useNavigate()
  const secrets = useSecrets()
  const [way, setWay] = useState<Way>({ status: 'opening' })
  const latest = useRef(secrets)
  useEffect(() => {
    latest.current = secrets
  })
  const open = useCallback(async () => {
    try {
      const answer = await latest.current.run((held) =>
        host.connections.open({ databaseId, secrets: held }),
      )
      if (answer === null) await navigate({ to: '/', search: { edit: databaseId } })
      else setWay({ status: 'open' })
    } catch (error) {
      setWay({ status: 'failed', error })
    }
  }, [databaseId, navigate])
  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- it is set after the host answered
    void open()
  }, [open])
  if (way.status === 'open') return children
  if (way.status === 'failed') {
    return (
      <TroubleScreen
        actions={
          <Button onClick={() => void navigate({ to: '/', search: { edit: databaseId } })}>
            Edit the connection
          </Button>
        }
        error={way.error}
        onRetry={open}
        path={path}
      />
    )
  }
  return (
    <>
      <LoadingState label={`Connecting to ${path}…`} />
      {secrets.question !== null && (
        <SecretDialog
          isPending={false}
          isStored={false}
          onAnswer={secrets.answer}
          onClose={secrets.cancel}
          question={secrets.question}
        />
      )}
    </>
  )
}
