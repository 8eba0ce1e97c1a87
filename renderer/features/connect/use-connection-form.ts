import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'

import type { KnownConnection, ParsedSettings } from '../../../src/contract/index.ts'
import type { ConnectionSettings } from '../../../src/model/connection.ts'
import { describeSettingsProblem } from '../../../src/model/describe-settings-problem.ts'
import { isSameAccess } from '../../../src/model/same-access.ts'
import { host, hostQueries } from '../../api/host.ts'
import {
  type ConnectionDraft,
  draftOf,
  editDraft,
  EMPTY_DRAFT,
  fillDraft,
  toSettings,
  typeText,
} from './connection-draft.ts'
import { findPasswordProblem } from './password-choice.ts'
import type { Secrets } from './use-secrets.ts'

type Checked =
  | { readonly ok: true; readonly settings: ConnectionSettings }
  | { readonly ok: false; readonly words: string }

/**
 * here: a password was in the text, was asked for, or came with the connection; the host has it. elsewhere: it came
 * with the connection, and the form now says another user, server or way.
 */
export type GivenPassword = 'here' | 'elsewhere' | 'none'

export interface ConnectionForm {
  readonly draft: ConnectionDraft
  /** Parameters of the text that change nothing here. */
  readonly ignored: readonly string[]
  readonly given: GivenPassword
  readonly type: (text: string) => void
  readonly edit: (change: Parameters<typeof editDraft>[1]) => void
  /** Waits for the host to have read the text. */
  readonly check: () => Promise<Checked>
}

/** The state of the form. A text is read here at once, and completed by the host with what only it can know. */
export function useConnectionForm(saved: KnownConnection | null, secrets: Secrets): ConnectionForm {
  const defaults = useQuery(hostQueries.connections.defaults.queryOptions()).data
  const known = defaults?.ok === true ? defaults.settings : null
  const vault = useQuery(hostQueries.connections.vault.queryOptions()).data
  const usual = vault?.isAvailable === true ? 'stored' : 'ask'
  const [stored, setDraft] = useState(() =>
    saved === null ? EMPTY_DRAFT : draftOf(saved.settings),
  )
  const [ignored, setIgnored] = useState<readonly string[]>([])
  const reading = useRef<Promise<void>>(Promise.resolve())
  const round = useRef(0)
  const [isUntouched, setIsUntouched] = useState(true)
  // A given password comes from no file: saving keeps it where that is possible.
  const isToBeKept = isUntouched && saved?.name === null && saved.isPasswordHeld === true
  const draft: ConnectionDraft = {
    ...stored,
    password: isToBeKept ? { ...stored.password, from: usual } : stored.password,
    defaults: known,
  }
  const latest = useRef(draft)
  const set = (next: ConnectionDraft) => {
    latest.current = next
    setIsUntouched(false)
    setDraft(next)
  }
  const complete = (mine: number, parsed: ParsedSettings) => {
    if (parsed.ok && (parsed.password ?? parsed.keyPassphrase) !== null) {
      secrets.keep({
        ...(parsed.password === null ? {} : { password: parsed.password }),
        ...(parsed.keyPassphrase === null ? {} : { keyPassphrase: parsed.keyPassphrase }),
      })
    }
    if (mine !== round.current) return
    if (!parsed.ok) return set({ ...latest.current, problem: parsed.problem })
    setIgnored(parsed.ignored)
    const { text, password } = latest.current
    const filled = fillDraft(latest.current, parsed.settings)
    // A given password comes from no file: it is kept where that is possible, else asked for again.
    const from = parsed.password === null ? password.from : usual
    set({ ...filled, text, password: { ...password, from } })
  }
  return {
    draft,
    ignored,
    given: secrets.held.password === undefined ? givenWith(saved, draft) : 'here',
    type: (text) => {
      // A secret belongs to the text it came in; typing on at its end is the same text.
      if (!text.startsWith(draft.text) || draft.text === '') secrets.drop()
      set(typeText(draft, text))
      setIgnored([])
      const mine = ++round.current
      if (text.trim() === '') return
      reading.current = host.connections.parse({ text }).then(
        (parsed) => complete(mine, parsed),
        // What was read here stays; connecting says what is wrong.
        () => undefined,
      )
    },
    edit: (change) => {
      if (['host', 'user', 'sshHost'].some((part) => part in change)) secrets.drop()
      round.current += 1
      set(editDraft(draft, change))
    },
    check: async () => {
      await reading.current
      const now = isToBeKept ? draft : { ...latest.current, defaults: known }
      const words = now.problem === null ? null : describeSettingsProblem(now.problem)
      const problem = words ?? findPasswordProblem(now.password)
      if (problem !== null) return { ok: false, words: problem }
      const result = toSettings(now)
      if (result.ok) return result
      return { ok: false, words: describeSettingsProblem(result.problem) }
    },
  }
}

/** Whether the host uses the password that came with the connection for what the form says now. */
function givenWith(saved: KnownConnection | null, draft: ConnectionDraft): GivenPassword {
  if (saved?.isPasswordHeld !== true) return 'none'
  const result = toSettings(draft)
  return result.ok && isSameAccess(saved.settings, result.settings) ? 'here' : 'elsewhere'
}
