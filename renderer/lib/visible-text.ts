/** Characters that would hide, reorder or break the text around them. */
const HIDDEN = /[\p{Cc}\p{Surrogate}\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu
const SHORT: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

function escape(character: string): string {
  return SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Any text as one line, what cannot be seen written as an escape. */
export function toOneLine(text: string): string {
  return text.replaceAll(HIDDEN, escape)
}

/** The same with its line breaks and tabs kept. */
export function toLines(text: string): string {
  return text.replaceAll(HIDDEN, (character) =>
    character === '\n' || character === '\t' ? character : escape(character),
  )
}
