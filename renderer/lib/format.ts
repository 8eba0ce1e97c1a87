/** Pure text forms of numbers and times. Every time is epoch milliseconds. */
import { toOneLine } from './visible-text.ts'

const THOUSANDS = new Intl.NumberFormat('en-US')

export function formatCount(count: number): string {
  return THOUSANDS.format(count)
}

/** `891`, `3.9k`, `12k`, `1.2M`: never rounded up. */
export function formatShortCount(count: number): string {
  if (count < 1_000) return String(count)
  const [size, unit] = count < 1_000_000 ? [count / 1_000, 'k'] : [count / 1_000_000, 'M']
  return `${size < 10 ? Math.floor(size * 10) / 10 : Math.floor(size)}${unit}`
}

/** `1 event`, `2 events`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

const SIZES = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** `86 B`, `41 KB`, `184.2 MB`; steps of 1,024. */
export function formatBytes(bytes: number): string {
  let size = bytes
  let step = 0
  while (size >= 1024 && step < SIZES.length - 1) {
    size /= 1024
    step += 1
  }
  const digits = step === 0 || size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 1 : 2
  return `${trimZeros(size.toFixed(digits))} ${SIZES[step] ?? 'B'}`
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

const STEPS = [
  { limit: 60_000, unit: 1_000, name: 's' },
  { limit: 3_600_000, unit: 60_000, name: 'm' },
  { limit: 86_400_000, unit: 3_600_000, name: 'h' },
  { limit: 365 * 86_400_000, unit: 86_400_000, name: 'd' },
] as const

/** How long ago, in one unit: `2 s`, `14 m`, `3 h`, `5 d`, `2 y`. Later than now beyond a second: `in 4 m`. */
export function formatAge(at: number, now: number): string {
  const age = now - at
  if (age < -1_000) return `in ${coarse(-age)}`
  return coarse(Math.max(0, age))
}

function coarse(ms: number): string {
  const step = STEPS.find(({ limit }) => ms < limit)
  if (step === undefined) return `${Math.floor(ms / (365 * 86_400_000))} y`
  return `${Math.floor(ms / step.unit)} ${step.name}`
}

/** `12 ms`, `1.84 s`, `1 m 52 s`, `3 h 5 m`, `2 d 4 h`; a negative one is `clock skew −40 ms`. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `clock skew −${formatDuration(-ms)}`
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${trimZeros((ms / 1_000).toFixed(2))} s`
  if (ms < 60_000) return `${trimZeros((ms / 1_000).toFixed(1))} s`
  if (ms < 3_600_000) return pair(ms, 60_000, 'm', 1_000, 's')
  if (ms < 86_400_000) return pair(ms, 3_600_000, 'h', 60_000, 'm')
  return pair(ms, 86_400_000, 'd', 3_600_000, 'h')
}

/** `8:41`: minutes and seconds that are left, never negative. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  return `${Math.floor(seconds / 60)}:${twoDigits(seconds % 60)}`
}

function pair(ms: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % big) / small)
  const first = `${Math.floor(ms / big)} ${bigName}`
  return rest === 0 ? first : `${first} ${rest} ${smallName}`
}

const LARGEST_DATE = 8_640_000_000_000_000

/** `2026-11-30 06:40:58.201 +01:00`. A number no calendar can hold is printed as it is. */
export function formatTime(at: number, zone: 'local' | 'utc'): string {
  const parts = toParts(at, zone)
  return parts === null ? String(at) : `${parts.date} ${parts.time} ${parts.offset}`
}

/** `06:40:58`, without date and offset: for moments that are close to now. */
export function formatClock(at: number, zone: 'local' | 'utc'): string {
  return toParts(at, zone)?.time.slice(0, 8) ?? String(at)
}

function toParts(at: number, zone: 'local' | 'utc') {
  if (!Number.isFinite(at) || Math.abs(at) > LARGEST_DATE - 86_400_000) return null
  const offsetMinutes = zone === 'utc' ? 0 : -new Date(at).getTimezoneOffset()
  const [date = '', rest = ''] = new Date(at + offsetMinutes * 60_000).toISOString().split('T')
  return { date, time: rest.slice(0, 12), offset: formatOffset(offsetMinutes) }
}

function formatOffset(minutes: number): string {
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '−' : '+'}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`
}

function twoDigits(part: number): string {
  return String(part).padStart(2, '0')
}

/** Both ends of a long text, cut between characters: the difference between two ids is often at the end. */
export function cutMiddle(text: string, longest: number): string {
  if (text.length <= longest) return text
  const characters = Array.from(text.slice(0, longest * 2))
  const tail = Array.from(text.slice(-longest * 2))
  const half = Math.floor((longest - 1) / 2)
  return `${characters.slice(0, longest - half - 1).join('')}…${tail.slice(-half).join('')}`
}

/** Any text as one visible line: what cannot be seen becomes an escape, the empty text a pair of quotes. */
export function toVisible(text: string): string {
  return text === '' ? '“”' : toOneLine(text)
}

/** The file and the folder it is in, enough to tell two apart at a glance: many are called dev.db. */
export function shortPath(path: string): string {
  return path.split(/[/\\]/).slice(-2).join('/')
}
