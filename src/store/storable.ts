import { A2Error } from './errors.ts'

/** What a database cannot hold unchanged. */
export interface Limits {
  /** Postgres has no U+0000 in text and jsonb. */
  readonly hasNul: boolean
  /** Text of a JSON column may escape a lone surrogate; jsonb refuses it. */
  readonly hasLoneSurrogatesInJson: boolean
}

export interface Storable {
  /** Throws unless the text is stored and found again unchanged. */
  text(what: string, value: string): string
  /** JSON text of a value; throws when it has none, or when the database would refuse it. */
  json(what: string, value: unknown): string
}

export function makeStorable(limits: Limits): Storable {
  return {
    text(what, value) {
      if (!value.isWellFormed()) throw unstorable(what, 'a lone surrogate')
      if (!limits.hasNul && value.includes('\0')) throw unstorable(what, 'the character U+0000')
      return value
    },
    json(what, value) {
      const text = toJson(what, value)
      // Both show as escapes in what JSON.stringify writes; most texts have none.
      if (!limits.hasNul && text.includes('\\u0000') && holds(value, (part) => part.includes('\0')))
        throw unstorable(what, 'the character U+0000')
      if (
        !limits.hasLoneSurrogatesInJson &&
        text.includes('\\ud') &&
        holds(value, (part) => !part.isWellFormed())
      )
        throw unstorable(what, 'a lone surrogate')
      return text
    },
  }
}

function toJson(what: string, value: unknown): string {
  try {
    return JSON.stringify(value ?? null) ?? 'null'
  } catch (error) {
    throw new A2Error('UNSTORABLE_VALUE', `${what} cannot be written as JSON`, { cause: error })
  }
}

/** Whether a key or string of the JSON text of `value` passes the test. */
function holds(value: unknown, test: (part: string) => boolean): boolean {
  let isFound = false
  JSON.stringify(value, (key, member: unknown) => {
    isFound ||= test(key) || (typeof member === 'string' && test(member))
    return member
  })
  return isFound
}

function unstorable(what: string, content: string): A2Error {
  return new A2Error('UNSTORABLE_VALUE', `${what} contains ${content}, which cannot be stored`)
}
