import { useQuery } from '@tanstack/react-query'

import type { SecretSource } from '../../../src/model/connection.ts'
import type { VaultFacts } from '../../../src/model/vault.ts'
import { hostQueries } from '../../api/host.ts'
import { ChoiceField, TextField } from './field.tsx'
import { findPasswordProblem } from './password-choice.ts'
import type { ConnectionForm } from './use-connection-form.ts'

type From = SecretSource['from']

/** Where the password comes from. It is never typed here: it is asked for when the server wants it. */
export function PasswordField({ form }: { readonly form: ConnectionForm }) {
  const { draft, edit } = form
  const { password } = draft
  const vault = useVault()
  const isKeptPossible = vault?.isAvailable === true
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
    <ChoiceField
      label="Password"
      onChange={(from) => edit({ password: { ...password, from } })}
      options={options}
      value={password.from}
    />
  )
}

/** What the chosen source needs to know, and what there is to say about it. */
export function PasswordDetails({ form }: { readonly form: ConnectionForm }) {
  const { draft, edit, given } = form
  const { password } = draft
  const vault = useVault()
  const problem = findPasswordProblem(password)
  return (
    <div className="password-details">
      {password.from === 'pgpass' && (
        <TextField
          label="Password file"
          onChange={(passfile) => edit({ password: { ...password, passfile } })}
          placeholder="PGPASSWORD if it is set, then ~/.pgpass"
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
      <p aria-live="polite" className="field-note">
        {given === 'here' && (
          <>
            <span className="given">password given</span> {GIVEN[password.from]}{' '}
          </>
        )}
        {given === 'elsewhere' && (
          <span className="dim">
            The password was given for another user, server or way there: it is not used.{' '}
          </span>
        )}
        {problem !== null && <span className="dim">{problem} </span>}
        {vault?.isAvailable === false && <span className="dim">{WHY_NO_VAULT[vault.why]}</span>}
      </p>
    </div>
  )
}

function useVault(): VaultFacts | undefined {
  return useQuery(hostQueries.connections.vault.queryOptions()).data
}

/** What becomes of a password that was given. */
const GIVEN: Record<From, string> = {
  stored: 'It goes to the keychain once the server took it.',
  ask: 'It is used now; next time you are asked.',
  pgpass: 'It is used now; next time it is looked up.',
  command: 'It is used now; next time the command is run.',
}

const WHY_NO_VAULT: Record<Extract<VaultFacts, { isAvailable: false }>['why'], string> = {
  browser: 'Browser mode has no keychain: nothing is kept.',
  'no-keychain': 'This system offers no keychain: nothing is kept.',
  'basic-text': 'The keychain of this system does not encrypt, so nothing is kept in it.',
  'cannot-decrypt':
    'What was kept cannot be decrypted now; it is left as it is, and you are asked.',
}
