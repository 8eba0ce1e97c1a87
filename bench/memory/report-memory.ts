import { printFigure } from '../report/line.ts'
import type { MemoryLine } from './trend.ts'

const HEADINGS = ['process', 'most, MB', 'limit', 'second half, MB/min', ''] as const

function toCells({ name, max, limit, slope, isGrowing, holds }: MemoryLine): string[] {
  const trend = `${slope < 0 ? '−' : '+'}${printFigure(Math.abs(slope))}${isGrowing ? ', growing' : ''}`
  return [name, printFigure(max), `< ${limit}`, trend, holds ? 'holds' : 'MISSED']
}

export function toMemoryTable(lines: readonly MemoryLine[]): string {
  const rows = [[...HEADINGS], HEADINGS.map(() => '---'), ...lines.map(toCells)]
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
