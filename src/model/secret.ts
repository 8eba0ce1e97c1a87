const HIDDEN = '‹hidden›'

/**
 * A text that must not be shown. Printing, logging, cloning to JSON and inspecting it give a
 * placeholder; only `reveal` gives the text.
 */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The text itself. For the one call that sends it, never for a variable that lives longer. */
  reveal(): string {
    return this.#text
  }

  isSame(other: Secret): boolean {
    return this.#text === other.#text
  }

  toString(): string {
    return HIDDEN
  }

  toJSON(): string {
    return HIDDEN
  }

  /** What Node prints for it. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN
  }
}

/** The text with every occurrence of a secret taken out, also where it was percent-encoded. */
export function redact(text: string, secrets: readonly (Secret | null)[]): string {
  let clean = text
  for (const secret of secrets) {
    const hidden = secret?.reveal() ?? ''
    if (hidden === '') continue
    clean = clean.replaceAll(hidden, HIDDEN).replaceAll(encodeURIComponent(hidden), HIDDEN)
  }
  return clean
}
