type Column = Float64Array | Int32Array | Uint32Array | Uint8Array

/** `to`, with the values of `from` at its beginning. */
export function grown<Values extends Column>(from: Column, to: Values): Values {
  to.set(from)
  return to
}

/** A column that becomes longer with each value. */
export class NumberList {
  #values: Uint32Array<ArrayBuffer>
  #length = 0

  constructor(expected = 0) {
    this.#values = new Uint32Array(Math.max(64, expected))
  }

  get length(): number {
    return this.#length
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      this.#values = grown(this.#values, new Uint32Array(this.#length * 2))
    }
    this.#values[this.#length] = value
    this.#length += 1
  }

  /** What was pushed so far, without copying: it is not to be written to. */
  values(): Uint32Array {
    return this.#values.subarray(0, this.#length)
  }
}
