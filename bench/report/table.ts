import { HEADINGS, type ReportLine, toCells } from './line.ts'

/** For a terminal: columns under each other. */
export function printTable(lines: readonly ReportLine[]): string {
  const rows = [[...HEADINGS], ...lines.map(toCells)]
  const widths = HEADINGS.map((_, column) =>
    Math.max(...rows.map((cells) => (cells[column] ?? '').length)),
  )
  return rows
    .map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((row) => row.trimEnd())
    .join('\n')
}

function toRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

export function toMarkdownTable(lines: readonly ReportLine[]): string {
  const rule = HEADINGS.map(() => '---')
  return [toRow(HEADINGS), toRow(rule), ...lines.map((line) => toRow(toCells(line)))].join('\n')
}
