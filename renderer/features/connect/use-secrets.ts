import { useRef, useState } from 'react'

import { isSecretExpired, type SecretNeeded, secretNeededOf } from '../../api/errors.ts'
import { host } from '../../api/host.ts'

/** Names of secrets that the host holds for a few minutes; no secret itself. */
export interface HeldSecrets {
  readonly password?: { readonly heldId: string }
  readonly keyPassphrase?: { readonly heldId: string }
}

export interface Secrets {
  readonly held: HeldSecrets
  readonly keep: (more: HeldSecrets) => void
  readonly drop: () => void
  /** Runs a call; asks the person as often as it lacks a secret. null: they closed the question. */
  readonly run: <T>(call: (held: HeldSecrets) => Promise<T>) => Promise<T | null>
  /** What the person is asked now. */
  readonly question: SecretNeeded | null
  readonly answer: (secret: string) => void
  readonly cancel: () => void
}

/** Hands what a person typed to the host at once and goes on with the name the host gave it. */
export function useSecrets(): Secrets {
  const [held, setHeld] = useState<HeldSecrets>({})
  const latest = useRef<HeldSecrets>({})
  const [question, setQuestion] = useState<SecretNeeded | null>(null)
  const waiting = useRef<((answer: HeldSecrets | null) => void) | null>(null)
  const set = (next: HeldSecrets) => {
    latest.current = next
    setHeld(next)
  }
  const keep = (more: HeldSecrets) => set({ ...latest.current, ...more })
  const settle = (answer: HeldSecrets | null) => {
    setQuestion(null)
    waiting.current?.(answer)
    waiting.current = null
  }
  const ask = (needed: SecretNeeded) =>
    new Promise<HeldSecrets | null>((resolve) => {
      waiting.current?.(null)
      waiting.current = resolve
      setQuestion(needed)
    })
  const run = async <T>(call: (secrets: HeldSecrets) => Promise<T>): Promise<T | null> => {
    for (;;) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- each round needs the answer of the one before
        return await call(latest.current)
      } catch (error) {
        if (isSecretExpired(error)) {
          if (Object.keys(latest.current).length === 0) throw error
          set({})
          continue
        }
        const needed = secretNeededOf(error)
        if (needed === null) throw error
        // oxlint-disable-next-line no-await-in-loop
        const answer = await ask(needed)
        if (answer === null) return null
        keep(answer)
      }
    }
  }
  return {
    held,
    keep,
    drop: () => set({}),
    run,
    question,
    answer: (secret) => {
      const purpose = question?.purpose ?? 'password'
      void holdSecret(purpose, secret).then(settle, () => settle(null))
    },
    cancel: () => settle(null),
  }
}

/** The host takes secrets out of a text and answers by which name it holds them. */
async function holdSecret(purpose: SecretNeeded['purpose'], secret: string): Promise<HeldSecrets> {
  const keyword = purpose === 'password' ? 'password' : 'sslpassword'
  const text = `${keyword}='${secret.replaceAll(/['\\]/g, String.raw`\$&`)}'`
  const parsed = await host.connections.parse({ text })
  if (!parsed.ok) return {}
  return {
    ...(parsed.password === null ? {} : { password: parsed.password }),
    ...(parsed.keyPassphrase === null ? {} : { keyPassphrase: parsed.keyPassphrase }),
  }
}
