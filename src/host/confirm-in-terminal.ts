import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'

import type { CommandQuestion, ConfirmCommand } from '../inspector/servers/command-guard.ts'

const PATIENCE_MS = 120_000

interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly output: Writable
  /** How long a person has. */
  readonly patienceMs?: number
}

/** Asks where the program was started, which no page can reach. Without somebody there nothing is confirmed. */
export function confirmInTerminal({
  input,
  output,
  patienceMs = PATIENCE_MS,
}: Terminal): ConfirmCommand {
  return async (question) => {
    output.write(describe(question))
    if (input.isTTY !== true) {
      output.write('It is not run: there is no terminal to ask in.\n')
      return false
    }
    const lines = createInterface({ input, output, terminal: false })
    try {
      const answer = await lines.question('Run it? Type yes and Enter: ', {
        signal: AbortSignal.timeout(patienceMs),
      })
      return answer.trim().toLowerCase() === 'yes'
    } catch {
      output.write('\nNobody answered: it is not run.\n')
      return false
    } finally {
      lines.close()
      input.pause()
    }
  }
}

function describe({ purpose, connection, command }: CommandQuestion): string {
  const what = purpose === 'password' ? 'the password' : 'the passphrase of the client key'
  return `\nA page wants to run a program to get ${what} of ${connection}:\n\n${command}\n\n`
}
