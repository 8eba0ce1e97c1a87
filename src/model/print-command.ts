import { UNSEEN } from './unseen.ts'

/** Longer ones cannot be shown whole, so that nobody could say what they are. */
const LONGEST = 1_000

/**
 * A program and its arguments for a person to judge: each in quotes, one a line, with all that cannot be seen,
 * or changes the order of what is seen, written as `\u{…}`. null: too long to be shown whole.
 */
export function printCommand(argv: readonly string[]): string | null {
  const unseen = new RegExp(UNSEEN, 'gu')
  const lines = argv.map((word) => JSON.stringify(word).replaceAll(unseen, escape))
  const text = lines.join('\n')
  return text.length > LONGEST ? null : text
}

function escape(character: string): string {
  if (character === ' ') return character
  const code = character.codePointAt(0) ?? 0
  return String.raw`\u{${code.toString(16)}}`
}
