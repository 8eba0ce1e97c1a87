import { medianOf } from '../measure/outcome.ts'
import { RENDERER_HEAP, type Sample } from './sample.ts'

const MAX_MB = 300
const MAX_HEAP_MB = 150
/** What comes and goes with every collection of garbage is no growth. */
const NOISE = { share: 0.1, megabytes: 10 }

export interface MemoryLine {
  readonly name: string
  readonly max: number
  readonly limit: number
  /** MB a minute over the second half, by least squares. */
  readonly slope: number
  readonly isGrowing: boolean
  readonly holds: boolean
}

export function toMemoryLines(samples: readonly Sample[]): MemoryLine[] {
  const half = samples.slice(Math.floor(samples.length / 2))
  const names = new Set(samples.flatMap(({ megabytes }) => Object.keys(megabytes)))
  return [...names].map((name) => {
    const of = (some: readonly Sample[]) =>
      some.flatMap(({ at, megabytes: { [name]: held } }) =>
        held === undefined ? [] : [{ minute: at / 60, held }],
      )
    const max = Math.max(...of(samples).map(({ held }) => held))
    const limit = name === RENDERER_HEAP ? MAX_HEAP_MB : MAX_MB
    const slope = slopeOf(of(half))
    const isGrowing = growthOf(of(half), slope)
    return { name, max, limit, slope, isGrowing, holds: max < limit && !isGrowing }
  })
}

interface Point {
  readonly minute: number
  readonly held: number
}

function slopeOf(points: readonly Point[]): number {
  const mean = (of: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [x, y] = [mean(({ minute }) => minute), mean(({ held }) => held)]
  const spread = mean(({ minute }) => (minute - x) ** 2)
  return spread === 0 ? 0 : mean(({ minute, held }) => (minute - x) * (held - y)) / spread
}

function growthOf(points: readonly Point[], slope: number): boolean {
  const minutes = (points.at(-1)?.minute ?? 0) - (points[0]?.minute ?? 0)
  const usual = medianOf(points.map(({ held }) => held))
  return slope * minutes > Math.max(NOISE.megabytes, NOISE.share * usual)
}
