import { randomBytes } from 'node:crypto'

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const POOL_BYTES = 4096
let pool = Buffer.alloc(0)
let taken = 0

/** A ULID: 10 digits of time, 16 of randomness; ids made later sort later. */
export function makeEventId(now = Date.now()): string {
  if (taken + 16 > pool.length) {
    pool = randomBytes(POOL_BYTES)
    taken = 0
  }
  let time = ''
  for (let rest = now, digit = 0; digit < 10; digit += 1) {
    time = DIGITS[rest % 32] + time
    rest = Math.floor(rest / 32)
  }
  let random = ''
  for (let digit = 0; digit < 16; digit += 1) random += DIGITS[pool[taken++]! % 32]
  return time + random
}
