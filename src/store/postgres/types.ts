import type { CustomTypesConfig } from 'pg'

import { A2Error } from '../errors.ts'

/** Numbers of a bigint column: indexes and epoch milliseconds, all of which a number holds. */
function toSafeInteger(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number))
    throw new A2Error('STORE_UNAVAILABLE', `the integer ${text} is out of range`)
  return number
}

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: toSafeInteger,
  23: Number,
  3802: (text): unknown => JSON.parse(text),
}

/** Our own reading of values, whatever the process has set for the driver as a whole. */
export const TYPES: CustomTypesConfig = {
  getTypeParser: (oid: number) => PARSERS[oid] ?? ((text: string) => text),
}
