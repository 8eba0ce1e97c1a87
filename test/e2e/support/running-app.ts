import type { ElectronApplication, Page } from '@playwright/test'
import type { ChildProcess } from 'node:child_process'

export interface Size {
  readonly width: number
  readonly height: number
}

export interface OpenOptions {
  /** The content's size in pixels. Default: 1440 × 900. */
  readonly size?: Size
  readonly theme?: 'light' | 'dark'
  /** The current folder. Default: an empty one. */
  readonly cwd?: string
  readonly args?: readonly string[]
}

/** One run of the program, in a window or behind a tab. */
export interface RunningApp {
  readonly page: Page
  /** In the electron project only. */
  readonly electron: ElectronApplication | undefined
  /** The program's first process. */
  readonly process: ChildProcess
  /** What it and those it started have written to the terminal so far. */
  output(): string
  /** Gives the content that size. */
  resize(size: Size): Promise<void>
  close(): Promise<void>
}

export const SIZES = {
  usual: { width: 1440, height: 900 },
  small: { width: 1024, height: 700 },
  /** 1440 × 900 at 200 %. */
  zoomed: { width: 720, height: 450 },
} as const satisfies Record<string, Size>

/** Collects what a program writes to the terminal. */
export function collectOutput({ stdout, stderr }: ChildProcess): () => string {
  let output = ''
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk: Buffer | string) => {
      output += String(chunk)
    })
  }
  return () => output
}
