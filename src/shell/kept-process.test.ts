import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { keepProcess } from './kept-process.ts'
import type { KeptChild, ToKept } from './kept-process.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A process by its outside: what it was told, and what it does about it. */
class FakeChild implements KeptChild {
  readonly told: ToKept['kind'][] = []
  isKilled = false
  isDeaf = false
  readonly #heard: ((message: unknown) => void)[] = []
  readonly #ended: (() => void)[] = []

  tell({ kind }: ToKept): void {
    this.told.push(kind)
    if (this.isDeaf) return
    if (kind === 'ping') this.say('pong')
    else this.exit()
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#heard.push(listener)
  }

  onExit(listener: () => void): void {
    this.#ended.push(listener)
  }

  kill(): void {
    this.isKilled = true
    this.exit()
  }

  say(kind: string): void {
    for (const listener of this.#heard) listener({ kind })
  }

  exit(): void {
    for (const listener of this.#ended.splice(0)) listener()
  }
}

function setUp(begin: (child: FakeChild) => void = (child) => child.say('ready')) {
  const forked: FakeChild[] = []
  const ready: FakeChild[] = []
  const gone: FakeChild[] = []
  const kept = keepProcess({
    fork: () => {
      const child = new FakeChild()
      forked.push(child)
      setTimeout(() => begin(child), 0)
      return child
    },
    onReady: (child) => ready.push(child),
    onGone: (child) => gone.push(child),
  })
  return { kept, forked, ready, gone }
}

test('it is started once, and again when it ended', async () => {
  const { kept, forked, ready, gone } = setUp()
  kept.start()
  kept.start()
  await vi.advanceTimersByTimeAsync(10)
  expect(forked).toHaveLength(1)
  expect(ready).toStrictEqual(forked)
  forked[0]?.exit()
  await vi.advanceTimersByTimeAsync(10)
  expect(ready).toHaveLength(2)
  expect(gone).toStrictEqual([forked[0]])
})

test('one that ends as soon as it begins is started ever less often', async () => {
  const { kept, forked } = setUp((child) => {
    child.say('ready')
    child.exit()
  })
  kept.start()
  await vi.advanceTimersByTimeAsync(5_000)
  // After 0, 0, 0.2, 0.4, 0.8 and 1.6 seconds; the next pause is 3.2.
  expect(forked).toHaveLength(6)
  await vi.advanceTimersByTimeAsync(60_000)
  // No pause is longer than five seconds.
  expect(forked).toHaveLength(18)
})

test('who asks for it meanwhile does not make it faster', async () => {
  const { kept, forked } = setUp((child) => child.exit())
  kept.start()
  for (let asked = 0; asked < 500; asked += 1) {
    kept.start()
    await vi.advanceTimersByTimeAsync(10)
  }
  expect(forked).toHaveLength(6)
})

test('one that answers when it is checked goes on; one that does not is replaced at once', async () => {
  const { kept, forked, ready } = setUp()
  kept.start()
  await vi.advanceTimersByTimeAsync(10)
  kept.check()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(forked).toHaveLength(1)

  const [first] = forked
  if (first !== undefined) first.isDeaf = true
  kept.check()
  kept.check()
  await vi.advanceTimersByTimeAsync(249)
  expect(first?.isKilled).toBe(false)
  await vi.advanceTimersByTimeAsync(10)
  expect(first?.isKilled).toBe(true)
  expect(ready).toHaveLength(2)
})

test('one that only begins is neither checked nor replaced', async () => {
  const { kept, forked } = setUp(() => {})
  kept.start()
  kept.check()
  kept.replace()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(forked).toHaveLength(1)
  expect(forked[0]?.isKilled).toBe(false)
})

test('one that has not answered for long is ended, asked or not', async () => {
  const { kept, forked, ready } = setUp()
  kept.start()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(forked).toHaveLength(1)
  const [first] = forked
  if (first !== undefined) first.isDeaf = true
  await vi.advanceTimersByTimeAsync(60_000)
  expect(first?.isKilled).toBe(false)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(first?.isKilled).toBe(true)
  expect(ready).toHaveLength(2)
})

test('closed, it ends and stays ended; one that does not listen is killed', async () => {
  const { kept, forked } = setUp()
  kept.start()
  await vi.advanceTimersByTimeAsync(10)
  await kept.close()
  kept.start()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(forked.map(({ isKilled }) => isKilled)).toStrictEqual([false])

  const deaf = setUp((child) => {
    child.isDeaf = true
    child.say('ready')
  })
  deaf.kept.start()
  await vi.advanceTimersByTimeAsync(10)
  const closed = deaf.kept.close()
  await vi.advanceTimersByTimeAsync(1_500)
  await closed
  expect(deaf.forked.map(({ isKilled }) => isKilled)).toStrictEqual([true])
})
