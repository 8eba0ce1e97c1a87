import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { describeMachine } from './machine.ts'

const FILE = join(import.meta.dirname, '..', '..', 'docs', 'benchmarks.md')

const HEAD = `# Benchmarks

What \`npm run bench -- --write\` found when it last ran; \`bench/README.md\` says how each figure is taken.
Figures are lowest / median / highest of at least five rounds. Read the ratios: value and floor took turns in
the same run, and the same figure moves from one run to the next.
`

/** The sections of docs/benchmarks.md, in this order; each run writes one of them anew. */
const SECTIONS = ['1M events', '10M events', 'Memory'] as const

export type Section = (typeof SECTIONS)[number]

export function writeSection(section: Section, body: string): void {
  const known = existsSync(FILE) ? readSections(readFileSync(FILE, 'utf8')) : new Map()
  const date = new Date().toISOString().slice(0, 10)
  known.set(section, `${date} · ${describeMachine()}\n\n${body.trim()}`)
  const parts = SECTIONS.filter((name) => known.has(name)).map(
    (name) => `## ${name}\n\n${known.get(name)}\n`,
  )
  writeFileSync(FILE, [HEAD, ...parts].join('\n'))
}

function readSections(text: string): Map<string, string> {
  const [, ...parts] = text.split(/^## /m)
  return new Map(
    parts.map((part) => {
      const [name = '', ...rest] = part.split('\n')
      return [name, rest.join('\n').trim()]
    }),
  )
}
