const WORD = /\s*((?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+)(?=\s|$)/sy

/** Splits a command line into words as a shell does, without running one: quotes and backslashes only. null: a quote is left open. */
export function splitWords(line: string): readonly string[] | null {
  const words: string[] = []
  const text = line.trimEnd()
  WORD.lastIndex = 0
  while (WORD.lastIndex < text.length) {
    const found = WORD.exec(text)
    if (found === null) return null
    words.push(unquote(found[1] ?? ''))
  }
  return words
}

function unquote(word: string): string {
  return word.replaceAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs, (...parts) => {
    const [, single, double, escaped] = parts as (string | undefined)[]
    return single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? ''
  })
}

/** A line that splits into the same words again. */
export function joinWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
}
