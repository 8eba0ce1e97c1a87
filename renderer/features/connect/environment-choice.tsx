import { ENVIRONMENTS, type Environment } from '../../../src/model/connection.ts'
import './connect.css'

const WORDS: Record<Environment, string> = {
  local: 'your own: no frame',
  staging: 'an amber frame around the window',
  production: 'a red frame around the window; clear and reclaim ask for the session id to be typed',
}

interface EnvironmentChoiceProps {
  readonly value: Environment
  readonly onChange: (value: Environment) => void
}

/** How careful the window is with this database. */
export function EnvironmentChoice({ value, onChange }: EnvironmentChoiceProps) {
  return (
    <fieldset className="environments">
      <legend className="visually-hidden">Environment</legend>
      {ENVIRONMENTS.map((environment) => (
        <label data-environment={environment} key={environment} title={WORDS[environment]}>
          <input
            checked={environment === value}
            name="environment"
            onChange={() => onChange(environment)}
            type="radio"
            value={environment}
          />
          {environment}
        </label>
      ))}
    </fieldset>
  )
}
