type Block = Float64Array | Int32Array | Uint32Array | Uint8Array

const SHIFT = 12
const BLOCK = 1 << SHIFT

/**
 * Numbers by their places. They lie in blocks: one long array would be copied whenever it grows, and what is
 * freed of it stays with the process.
 */
export class Column {
  readonly #blocks: Block[] = []
  readonly #Kind: new (length: number) => Block

  constructor(Kind: new (length: number) => Block) {
    this.#Kind = Kind
  }

  /** Where it ends for now. */
  get length(): number {
    return this.#blocks.length << SHIFT
  }

  get(place: number): number {
    return this.#blocks[place >>> SHIFT]![place & (BLOCK - 1)]!
  }

  set(place: number, value: number): void {
    this.#blocks[place >>> SHIFT]![place & (BLOCK - 1)] = value
  }

  /** Adds a block full of zeros. */
  grow(): void {
    this.#blocks.push(new this.#Kind(BLOCK))
  }
}

/** A list of numbers that becomes longer with each. */
export class NumberList {
  #values: Uint32Array
  #length = 0

  constructor(expected = 0) {
    this.#values = new Uint32Array(Math.max(64, expected))
  }

  get length(): number {
    return this.#length
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const values = new Uint32Array(this.#length * 2)
      values.set(this.#values)
      this.#values = values
    }
    this.#values[this.#length] = value
    this.#length += 1
  }

  /** What was pushed so far, without copying: it is not to be written to. */
  values(): Uint32Array {
    return this.#values.subarray(0, this.#length)
  }
}
