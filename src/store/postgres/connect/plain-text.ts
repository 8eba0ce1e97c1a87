import { redact, type Secret } from '../../../model/secret.ts'

const MAX_LINES = 4
const MAX_LENGTH = 600

/** Foreign words fit to be shown: no secrets, no control characters, the last few lines of many. */
export function toPlainText(text: string, secrets: readonly (Secret | null)[]): string | null {
  const clean = redact(text, secrets)
    // oxlint-disable-next-line no-control-regex -- those of terminals, line ends excepted
    .replaceAll(/\u001b\[[\d;]*[A-Za-z]|[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, '')
  const lines = clean.split('\n').map((line) => line.trim())
  const last = lines.filter((line) => line !== '').slice(-MAX_LINES)
  return last.length === 0 ? null : last.join('\n').slice(-MAX_LENGTH)
}
