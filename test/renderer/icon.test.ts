import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const page = readFileSync('renderer/index.html', 'utf8')

it('has an icon for the tab and one for the window', () => {
  const [, href] = /<link rel="icon" type="image\/svg\+xml" href="([^"]+)"/.exec(page) ?? []
  expect(href).toBe('/icon.svg')
  expect(readFileSync(`renderer/public${href}`, 'utf8')).toContain('viewBox="0 0 64 64"')
  const png = readFileSync('renderer/public/icon.png')
  expect(png.toString('latin1', 1, 4)).toBe('PNG')
  // Width and height stand in the first chunk.
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([256, 256])
})
