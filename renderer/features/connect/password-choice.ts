import type { SecretSource } from '../../../src/model/connection.ts'
import { joinWords, splitWords } from './command-words.ts'

/** Where the password comes from, with what the other choices would use kept while switching between them. */
export interface PasswordChoice {
  readonly from: SecretSource['from']
  /** Empty: the usual one. */
  readonly passfile: string
  /** A program and its arguments as one line. */
  readonly command: string
}

export function toSecretSource(choice: PasswordChoice): SecretSource {
  switch (choice.from) {
    case 'ask':
      return { from: 'ask' }
    case 'pgpass':
      return { from: 'pgpass', passfile: choice.passfile.trim() || null }
    case 'command':
      return { from: 'command', argv: splitWords(choice.command) ?? [] }
    case 'stored':
    default:
      // The host names it.
      return { from: 'stored', id: '' }
  }
}

/** What is missing or wrong, in words; null: nothing. */
export function findPasswordProblem({ from, command }: PasswordChoice): string | null {
  if (from !== 'command') return null
  const words = splitWords(command)
  if (words === null) return 'A quote in the command is left open.'
  return words.length === 0 ? 'Type the command that prints the password.' : null
}

export function choiceOf(source: SecretSource): PasswordChoice {
  return {
    from: source.from,
    passfile: source.from === 'pgpass' ? (source.passfile ?? '') : '',
    command: source.from === 'command' ? joinWords(source.argv) : '',
  }
}
