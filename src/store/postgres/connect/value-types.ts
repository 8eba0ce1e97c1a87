import type { CustomTypesConfig } from 'pg'

/** Exact where a number holds it, else the digits as they came. */
function toInteger(text: string): number | string {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : text
}

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: toInteger,
  21: Number,
  23: Number,
  26: Number,
  700: Number,
  701: Number,
}

/** Nothing is lost: JSON, numeric and all else stay the text the server sent. */
export const LOSSLESS_TYPES: CustomTypesConfig = {
  getTypeParser: (oid: number) => PARSERS[oid] ?? ((text: string) => text),
}
