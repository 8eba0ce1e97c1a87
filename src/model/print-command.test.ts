import { expect, test } from 'vitest'

import { printCommand } from './print-command.ts'

test('each word in quotes on a line of its own', () => {
  expect(printCommand(['pass', 'show', 'a b', 'say "x"', '日本'])).toBe(
    '"pass"\n"show"\n"a b"\n"say \\"x\\""\n"日本"',
  )
})

test('nothing is hidden: line breaks, escapes, reversed and invisible text', () => {
  expect(printCommand(['a\nb', '\u001b[2K', '\u202Egnp', 'x\u200By', '\u00A0', '\uD800'])).toBe(
    String.raw`"a\nb"
"\u001b[2K"
"\u{202e}gnp"
"x\u{200b}y"
"\u{a0}"
"\ud800"`,
  )
})

test('nor letters and marks that are drawn as nothing', () => {
  expect(printCommand(['\u3164', '\u115F\uFFA0', 'a\uFE0F', '\u{E0041}', '\u2800'])).toBe(
    String.raw`"\u{3164}"
"\u{115f}\u{ffa0}"
"a\u{fe0f}"
"\u{e0041}"
"\u{2800}"`,
  )
})

test('what is too long to be seen whole is not shown at all', () => {
  expect(printCommand(['x'.repeat(998)])).toHaveLength(1_000)
  expect(printCommand(['x'.repeat(999)])).toBeNull()
})
