/**
 * The numbers in the order of `compare`; equal ones stay in theirs. `toSorted` makes objects of all of them, several
 * times over, which a list of a hundred thousand that is sorted anew every second should not.
 */
export function sortNumbers(
  numbers: Uint32Array,
  compare: (a: number, b: number) => number,
): Uint32Array {
  let from = numbers.slice()
  let to = new Uint32Array(numbers.length)
  for (let width = 1; width < numbers.length; width *= 2) {
    for (let start = 0; start < numbers.length; start += 2 * width) {
      merge({ from, to, start, middle: start + width, end: start + 2 * width }, compare)
    }
    const merged = to
    to = from
    from = merged
  }
  return from
}

interface Runs {
  readonly from: Uint32Array
  readonly to: Uint32Array
  readonly start: number
  readonly middle: number
  readonly end: number
}

/** Two sorted runs become one. The second one may be short, or not be there. */
function merge(
  { from, to, start, ...runs }: Runs,
  compare: (a: number, b: number) => number,
): void {
  const middle = Math.min(runs.middle, from.length)
  const end = Math.min(runs.end, from.length)
  let left = start
  let right = middle
  for (let at = start; at < end; at += 1) {
    const isLeft = left < middle && (right >= end || compare(from[left]!, from[right]!) <= 0)
    to[at] = isLeft ? from[left]! : from[right]!
    if (isLeft) left += 1
    else right += 1
  }
}
