import { useId, useState } from 'react'

import type { KnownConnection } from '../../../src/contract/index.ts'
import { Button } from '../../ui/button.tsx'
import { ConnectionFields } from './connection-fields.tsx'
import { EnvironmentChoice } from './environment-choice.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import { ConnectOutcome } from './test-report.tsx'
import { type ConnectResult, useConnect } from './use-connect.ts'
import { useConnectionForm } from './use-connection-form.ts'
import { useSecrets } from './use-secrets.ts'
import './connect.css'

interface ConnectCardProps {
  /** The one to change; null: a new one. Give its id as `key`. */
  readonly saved: KnownConnection | null
  readonly onSaved: (connection: KnownConnection) => void
  /** Back to a new one. */
  readonly onLeave: () => void
}

/** A server: where it is, how to get in, what is found there. */
export function ConnectCard({ saved, onSaved, onLeave }: ConnectCardProps) {
  const heading = useId()
  const secrets = useSecrets()
  const form = useConnectionForm(saved, secrets)
  const { result, test, save, connect, clear } = useConnect({ form, secrets, saved, onSaved })
  const [name, setName] = useState(saved?.name ?? '')
  const isRunning = result.kind === 'running'
  const edited = { ...form, edit: withReset(form.edit, clear), type: withReset(form.type, clear) }
  return (
    <section aria-labelledby={heading} className="connect-card">
      <form
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isRunning) connect(name)
        }}
      >
        <div className="connect-head">
          <h2 id={heading}>{saved?.name ?? 'Connect to Postgres'}</h2>
          {saved !== null && (
            <Button onClick={onLeave} size="small" tone="plain">
              New instead
            </Button>
          )}
          <EnvironmentChoice
            onChange={(environment) => edited.edit({ environment, isEnvironmentChosen: true })}
            value={form.draft.environment}
          />
        </div>
        <ConnectionFields form={edited} />
        <div className="connect-test">
          <div className="connect-line">
            <Button disabled={isRunning} onClick={test}>
              {isRunning && result.doing === 'test' ? 'Testing…' : 'Test'}
            </Button>
            <TestLine result={result} />
            <SaveName
              isRunning={isRunning}
              name={name}
              onChange={setName}
              onSave={() => save(name)}
            />
          </div>
          <ConnectOutcome result={result} />
        </div>
        <div className="connect-line">
          <span className="faint connect-note">
            Opens read-only; you unlock writing when you need it.
          </span>
          <Button disabled={isRunning} tone="primary" type="submit">
            {isRunning && result.doing === 'connect' ? 'Connecting…' : 'Connect'}
          </Button>
        </div>
      </form>
      {secrets.question !== null && (
        <SecretDialog
          isPending={false}
          isStored={form.draft.password.from === 'stored'}
          onAnswer={secrets.answer}
          onClose={secrets.cancel}
          question={secrets.question}
        />
      )}
    </section>
  )
}

/** What was found says nothing any more once the form is another one. */
function withReset<T>(change: (value: T) => void, clear: () => void): (value: T) => void {
  return (value) => {
    clear()
    change(value)
  }
}

function TestLine({ result }: { readonly result: ConnectResult }) {
  return (
    <span aria-live="polite" className="test-line">
      {result.kind === 'found' && (
        <span className="good">✓ connected in {Math.max(1, Math.round(result.tookMs))} ms</span>
      )}
    </span>
  )
}

interface SaveNameProps {
  readonly name: string
  readonly isRunning: boolean
  readonly onChange: (name: string) => void
  readonly onSave: () => void
}

function SaveName({ name, isRunning, onChange, onSave }: SaveNameProps) {
  const canSave = !isRunning && name.trim() !== ''
  return (
    <span className="save-name">
      <input
        aria-label="Name to save it under"
        autoComplete="off"
        className="input"
        maxLength={200}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (canSave) onSave()
        }}
        placeholder="name to save as"
        spellCheck={false}
        value={name}
      />
      <Button disabled={!canSave} onClick={onSave}>
        Save
      </Button>
    </span>
  )
}
