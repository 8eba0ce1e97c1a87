import { describe, expect, it } from 'vitest'

import { toLifetimes } from './lifetime.ts'

const at = (index: number) => ({ index, createdAt: index * 1000 })

describe('toLifetimes', () => {
  it('gives one current lifetime to a session that was never cleared', () => {
    expect(
      toLifetimes({ head: 12, clearIndex: 0, markers: [], gone: [], firstActivityAt: 5 }),
    ).toEqual([
      {
        number: 1,
        isNumberLowerBound: false,
        from: 1,
        to: 12,
        startMarker: null,
        endMarker: null,
        status: 'current',
        stored: 12,
        gone: [],
        startedAt: 5,
        endedAt: null,
      },
    ])
  })

  it('lists lifetimes newest first, markers excluded', () => {
    const lifetimes = toLifetimes({
      head: 184,
      clearIndex: 120,
      markers: [at(31), at(120)],
      gone: [],
      firstActivityAt: 5,
    })
    expect(lifetimes.map(({ number, from, to, stored }) => [number, from, to, stored])).toEqual([
      [3, 121, 184, 64],
      [2, 32, 119, 88],
      [1, 1, 30, 30],
    ])
    expect(lifetimes.map(({ startedAt, endedAt }) => [startedAt, endedAt])).toEqual([
      [120_000, null],
      [31_000, 120_000],
      [5, 31_000],
    ])
  })

  it('shows what is wholly reclaimed as gone, and all numbers from there on as lower bounds', () => {
    const lifetimes = toLifetimes({
      head: 37,
      clearIndex: 27,
      markers: [at(8), at(17), at(27)],
      gone: [{ from: 1, to: 7 }],
      firstActivityAt: 8000,
    })
    expect(lifetimes.map((one) => [one.number, one.isNumberLowerBound, one.status])).toEqual([
      [4, true, 'current'],
      [3, true, 'cleared'],
      [2, true, 'cleared'],
      [1, true, 'reclaimed'],
    ])
    expect(lifetimes.at(-1)).toMatchObject({
      from: 1,
      to: 7,
      stored: 0,
      gone: [{ from: 1, to: 7 }],
      // The lowest stored event is a marker here: it says nothing about when this lifetime began.
      startedAt: null,
    })
  })

  it('shows a partly reclaimed lifetime with the range that is gone', () => {
    const [current, old] = toLifetimes({
      head: 403,
      clearIndex: 402,
      markers: [at(402)],
      gone: [{ from: 1, to: 146 }],
      firstActivityAt: 147_000,
    })
    expect(current).toMatchObject({ number: 2, from: 403, to: 403, stored: 1 })
    expect(old).toMatchObject({
      status: 'partly-reclaimed',
      from: 1,
      to: 401,
      stored: 255,
      gone: [{ from: 1, to: 146 }],
    })
  })

  it('gives a freshly cleared session an empty current lifetime', () => {
    const [current] = toLifetimes({
      head: 13,
      clearIndex: 13,
      markers: [at(13)],
      gone: [{ from: 1, to: 12 }],
      firstActivityAt: 13_000,
    })
    expect(current).toMatchObject({ from: 14, to: 13, stored: 0, status: 'current', gone: [] })
  })

  it('keeps the boundary when the marker row itself is missing', () => {
    const lifetimes = toLifetimes({
      head: 9,
      clearIndex: 5,
      markers: [],
      gone: [{ from: 3, to: 5 }],
      firstActivityAt: 1,
    })
    expect(lifetimes.map((one) => [one.from, one.to, one.stored, one.startedAt])).toEqual([
      [6, 9, 4, null],
      [1, 4, 2, 1],
    ])
  })

  it('cuts a gone range that spans a marker at each lifetime', () => {
    const lifetimes = toLifetimes({
      head: 20,
      clearIndex: 15,
      markers: [at(10), at(15)],
      gone: [
        { from: 2, to: 4 },
        { from: 12, to: 13 },
      ],
      firstActivityAt: 1,
    })
    expect(lifetimes.map((one) => [one.stored, one.status, one.gone])).toEqual([
      [5, 'current', []],
      [2, 'partly-reclaimed', [{ from: 12, to: 13 }]],
      [6, 'partly-reclaimed', [{ from: 2, to: 4 }]],
    ])
  })

  it('does not call a range that held several lifetimes the first one once their markers are gone', () => {
    const before = [at(8), at(17), at(27)]
    const stored = toLifetimes({
      head: 27,
      clearIndex: 27,
      markers: before,
      gone: [],
      firstActivityAt: 1,
    })
    expect(stored.map((one) => [one.number, one.isNumberLowerBound])).toEqual([
      [4, false],
      [3, false],
      [2, false],
      [1, false],
    ])
    const reclaimed = toLifetimes({
      head: 27,
      clearIndex: 27,
      markers: before.slice(-1),
      gone: [{ from: 1, to: 26 }],
      firstActivityAt: 27_000,
    })
    expect(reclaimed.map((one) => [one.number, one.isNumberLowerBound])).toEqual([
      [2, true],
      [1, true],
    ])
  })

  it('says that older lifetimes may hide where nobody looked for markers', () => {
    const lifetimes = toLifetimes({
      head: 20,
      clearIndex: 15,
      markers: [at(15)],
      gone: [],
      firstActivityAt: 1,
      unscannedThrough: 9,
    })
    expect(lifetimes.map((one) => [one.number, one.isNumberLowerBound])).toEqual([
      [2, true],
      [1, true],
    ])
  })
})
