import type { Random } from '../../src/sample/random.ts'
import { LONGEST_PAYLOAD_BYTES, NEEDLE } from './spec.ts'

/** Log-normal sizes: half of them below 120 bytes, one in a thousand above 20 KB, 470 on average. */
const MEDIAN_BYTES = 120
const SPREAD = 1.654
const SHORTEST_TEXT = 8
const POOL_BYTES = 1_048_576

/** No `q`: what is searched for begins with a rare letter. */
const CONSONANTS = 'bcdfghjklmnprstvwz'
const VOWELS = 'aeiou'

function makeWord(random: Random): string {
  let word = ''
  for (let syllable = random.between(1, 4); syllable > 0; syllable -= 1) {
    word += CONSONANTS[random.between(0, CONSONANTS.length - 1)]
    word += VOWELS[random.between(0, VOWELS.length - 1)]
  }
  return word
}

function makePool(random: Random): string {
  const words = Array.from({ length: 2_000 }, () => makeWord(random))
  const parts: string[] = []
  for (let length = 0; length < POOL_BYTES + LONGEST_PAYLOAD_BYTES;) {
    // Some words are far more frequent than others, as in any text.
    const word = words[Math.floor(words.length * random.next() ** 3)] ?? ''
    parts.push(word)
    length += word.length + 1
  }
  return parts.join(' ')
}

function drawBytes(random: Random): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  return Math.min(LONGEST_PAYLOAD_BYTES, Math.round(MEDIAN_BYTES * Math.exp(SPREAD * normal)))
}

/** Makes JSON payloads of words; all of it is ASCII, so that characters are bytes. */
export function makePayloads(random: Random): (isNeedle: boolean) => string {
  const pool = makePool(random)
  return (isNeedle) => {
    const number = random.between(0, 999_999)
    const start = `{"n":${number},"text":"${isNeedle ? `${NEEDLE} ` : ''}`
    const wanted = drawBytes(random) - start.length - 2
    const from = random.between(0, POOL_BYTES)
    return `${start}${pool.slice(from, from + Math.max(SHORTEST_TEXT, wanted))}"}`
  }
}
