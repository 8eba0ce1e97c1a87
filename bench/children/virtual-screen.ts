import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'

/** In pixels, from the top left corner of the screen. */
export interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A display of its own that nobody sees, without a window manager: windows lie where they are at first. */
export interface VirtualScreen {
  /** What `DISPLAY` has to be. */
  readonly display: string
  /** The pixels of a part of it, line by line. */
  pixels(area: Area): Buffer
  close(): Promise<void>
}

const WIDTH = 1280
const HEIGHT = 800
const PIXEL_BYTES = 4

/** `folder`: an empty one, where Xvfb keeps what is to be seen as a file. */
export async function openVirtualScreen(folder: string): Promise<VirtualScreen> {
  const size = `${WIDTH}x${HEIGHT}x24`
  const options = ['-displayfd', '3', '-fbdir', folder, '-screen', '0', size, '-nolisten', 'tcp']
  const child = spawn('Xvfb', options, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  const display = await Promise.race([
    firstLine(child.stdio[3]),
    ended.then(() => Promise.reject(new Error('Xvfb did not start'))),
  ])
  const file = openSync(join(folder, 'Xvfb_screen0'), 'r')
  // The picture is what the file ends with.
  const begin = fstatSync(file).size - WIDTH * HEIGHT * PIXEL_BYTES
  return {
    display: `:${display}`,
    pixels: (area) => readPixels(file, begin, area),
    async close() {
      closeSync(file)
      child.kill()
      await ended
    },
  }
}

async function firstLine(stream: unknown): Promise<string> {
  if (!(stream instanceof Readable)) throw new TypeError('not a pipe')
  for await (const line of createInterface({ input: stream })) return line
  throw new Error('Xvfb did not start')
}

function readPixels(file: number, begin: number, { x, y, width, height }: Area): Buffer {
  const lines = Buffer.allocUnsafe(WIDTH * height * PIXEL_BYTES)
  readSync(file, lines, 0, lines.length, begin + y * WIDTH * PIXEL_BYTES)
  const wanted = Buffer.allocUnsafe(width * height * PIXEL_BYTES)
  for (let line = 0; line < height; line += 1) {
    const from = (line * WIDTH + x) * PIXEL_BYTES
    lines.copy(wanted, line * width * PIXEL_BYTES, from, from + width * PIXEL_BYTES)
  }
  return wanted
}
