const ROUNDS = 5

/** Something measured once a round; answers its figure. */
export type Turn = () => number | Promise<number>

/**
 * All turns one after the other, round by round, so that whatever else the machine does meets them alike.
 * Each round begins with another one. The first round only warms up.
 */
export async function roundRobin<Name extends string>(
  turns: Readonly<Record<Name, Turn>>,
  rounds = ROUNDS,
): Promise<Record<Name, number[]>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the record
  const names = Object.keys(turns) as Name[]
  const figures = new Map(names.map((name) => [name, [] as number[]]))
  for (let round = 0; round <= rounds; round += 1) {
    for (let n = 0; n < names.length; n += 1) {
      const name = names[(n + round) % names.length]!
      const figure = await turns[name]()
      if (round > 0) figures.get(name)?.push(figure)
    }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one entry for each name
  return Object.fromEntries(figures) as Record<Name, number[]>
}

/** A turn whose figure is how long it takes, in ms. `times`: the mean of so many in a row. */
export function timed(run: () => unknown, times = 1): Turn {
  return async () => {
    const startedAt = performance.now()
    for (let n = 0; n < times; n += 1) await run()
    return (performance.now() - startedAt) / times
  }
}
