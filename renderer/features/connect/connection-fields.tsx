import { TLS_MODES } from '../../../src/model/connection.ts'
import { describeSettingsProblem } from '../../../src/model/describe-settings-problem.ts'
import { ChoiceField, FieldRow, TextField } from './field.tsx'
import { PasswordDetails, PasswordField } from './password-fields.tsx'
import type { ConnectionForm } from './use-connection-form.ts'

interface ConnectionFieldsProps {
  readonly form: ConnectionForm
}

/** The URL and its parts: either is edited, the other follows. */
export function ConnectionFields({ form }: ConnectionFieldsProps) {
  const { draft, edit } = form
  const { defaults } = draft
  return (
    <div className="connect-fields">
      <UrlField form={form} />
      <FieldRow columns="place">
        <TextField
          label="Host"
          onChange={(host) => edit({ host })}
          placeholder={defaults?.host ?? 'localhost'}
          value={draft.host}
        />
        <TextField
          label="Port"
          onChange={(port) => edit({ port })}
          placeholder={String(defaults?.port ?? 5432)}
          value={draft.port}
        />
        <TextField
          label="Database"
          onChange={(database) => edit({ database })}
          placeholder={defaults?.database}
          value={draft.database}
        />
      </FieldRow>
      <FieldRow columns="role">
        <TextField
          label="User"
          onChange={(user) => edit({ user })}
          placeholder={defaults?.user}
          value={draft.user}
        />
        <TextField
          hint="The only entry of the search path. Empty: as the server has it."
          label="Schema"
          onChange={(schema) => edit({ schema })}
          placeholder={defaults?.schema ?? 'default'}
          value={draft.schema}
        />
        <ChoiceField
          label="TLS"
          onChange={(tlsMode) => edit({ tlsMode })}
          options={TLS_MODES.map((mode) => ({ value: mode, name: mode }))}
          value={draft.tlsMode}
        />
      </FieldRow>
      <TlsFiles form={form} />
      <FieldRow columns="halves">
        <PasswordField form={form} />
        <TextField
          hint="A destination of ssh on this machine; its config, agent and jumps are used."
          label="Through ssh"
          onChange={(sshHost) => edit({ sshHost })}
          placeholder="directly"
          value={draft.sshHost}
        />
      </FieldRow>
      <PasswordDetails form={form} />
    </div>
  )
}

function UrlField({ form }: { readonly form: ConnectionForm }) {
  const { draft, ignored, type } = form
  return (
    <div>
      <TextField
        label="Paste a URL or fill in the parts"
        onChange={type}
        placeholder="postgresql://user@host:5432/database?sslmode=verify-full"
        value={draft.text}
      />
      <p aria-live="polite" className="field-note">
        {draft.problem !== null && (
          <span className="field-problem">{describeSettingsProblem(draft.problem)}</span>
        )}
        {draft.problem === null && ignored.length > 0 && (
          <span className="dim">Changes nothing here: {ignored.join(', ')}</span>
        )}
      </p>
    </div>
  )
}

/** Certificates matter where TLS is used at all; shown for the modes that verify, or when one is given. */
function TlsFiles({ form }: { readonly form: ConnectionForm }) {
  const { draft, edit } = form
  const isStrict = draft.tlsMode === 'verify-ca' || draft.tlsMode === 'verify-full'
  const isGiven = [draft.rootCert, draft.cert, draft.key].some((path) => path !== '')
  if (draft.tlsMode === 'disable' || !(isStrict || isGiven)) return null
  return (
    <FieldRow columns="thirds">
      <TextField
        hint="Path of a PEM file, or “system” for the trust store of the system."
        label="CA certificate"
        onChange={(rootCert) => edit({ rootCert })}
        placeholder={draft.defaults?.tls.rootCert ?? 'path, or system'}
        value={draft.rootCert}
      />
      <TextField
        label="Client certificate"
        onChange={(cert) => edit({ cert })}
        placeholder={draft.defaults?.tls.cert ?? 'none'}
        value={draft.cert}
      />
      <TextField
        label="Client key"
        onChange={(key) => edit({ key })}
        placeholder={draft.defaults?.tls.key ?? 'none'}
        value={draft.key}
      />
    </FieldRow>
  )
}
