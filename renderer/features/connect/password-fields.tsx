import { useQuery } from '@tanstack/react-query'

import type { SecretSource } from '../../../src/model/connection.ts'
import type { VaultFacts } from '../../../src/model/vault.ts'
import { hostQueries } from '../../api/host.ts'
import { ChoiceField, TextField } from './field.tsx'
import { findPasswordProblem } from './password-choice.ts'
import type { ConnectionForm } from './use-connection-form.ts'

type From = SecretSource['from']

interface PasswordFieldsProps {
  readonly form: ConnectionForm
  /** One was in the text; the host holds it. */
  readonly isGiven: boolean
}

/** Where the password comes from. It is never typed here: it is asked for when the server wants it. */
export function PasswordFields({ form, isGiven }: PasswordFieldsProps) {
  const { draft, edit } = form
  const { password } = draft
  const vault = useQuery(hostQueries.connections.vault.queryOptions()).data
  const isKeptPossible = vault?.isAvailable === true
  const problem = findPasswordProblem(password)
  const options: readonly { value: From; name: string; isOff?: boolean }[] = [
    {
      value: 'stored',
      name: isKeptPossible ? 'from the system keychain' : 'system keychain: not available',
      isOff: !isKeptPossible,
    },
    { value: 'ask', name: 'ask each time' },
    { value: 'pgpass', name: 'password file' },
    { value: 'command', name: 'from a command' },
  ]
  return (
    <div className="password-fields">
      <ChoiceField
        label="Password"
        onChange={(from) => edit({ password: { ...password, from } })}
        options={options}
        value={password.from}
      />
      {password.from === 'pgpass' && (
        <TextField
          label="Password file"
          onChange={(passfile) => edit({ password: { ...password, passfile } })}
          placeholder="PGPASSWORD, then ~/.pgpass"
          value={password.passfile}
        />
      )}
      {password.from === 'command' && (
        <TextField
          hint="Run without a shell; the first line it prints is the password."
          label="Command"
          onChange={(command) => edit({ password: { ...password, command } })}
          placeholder="pass show staging/db"
          value={password.command}
        />
      )}
      <p className="field-note" aria-live="polite">
        {isGiven && <span className="given">password given</span>}
        {problem !== null && <span className="dim"> {problem}</span>}
        {vault?.isAvailable === false && <span className="dim"> {WHY_NO_VAULT[vault.why]}</span>}
      </p>
    </div>
  )
}

const WHY_NO_VAULT: Record<Extract<VaultFacts, { isAvailable: false }>['why'], string> = {
  browser: 'Browser mode has no keychain: nothing is kept.',
  'no-keychain': 'This system offers no keychain: nothing is kept.',
  'basic-text': 'The keychain of this system does not encrypt, so nothing is kept in it.',
  'cannot-decrypt':
    'What was kept cannot be decrypted now; it is left as it is, and you are asked.',
}
