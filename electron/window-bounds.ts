/** Pixels of the desktop, as Electron counts them. */
export interface Bounds {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export const SMALLEST = { width: 720, height: 480 } as const
const USUAL = { width: 1440, height: 900 } as const

/** So much of a window must be on a screen that one can take hold of it. */
const HOLD = { width: 120, height: 40 } as const

/**
 * Where a window opens: where it was, if enough of it is still on a screen, else its size in the middle of
 * the first screen. Never larger than the screen. `workAreas`: at least one, the main one first.
 */
export function repairBounds(saved: Bounds | null, workAreas: readonly Bounds[]): Bounds {
  const [main] = workAreas
  if (main === undefined) return { x: 0, y: 0, ...USUAL }
  const wanted = {
    width: Math.max(SMALLEST.width, saved?.width ?? USUAL.width),
    height: Math.max(SMALLEST.height, saved?.height ?? USUAL.height),
  }
  const home = saved && workAreas.find((area) => isWithinReach({ ...saved, ...wanted }, area))
  const area = home ?? main
  const width = Math.min(wanted.width, area.width)
  const height = Math.min(wanted.height, area.height)
  if (saved && home) return { x: saved.x, y: saved.y, width, height }
  return {
    x: Math.round(area.x + (area.width - width) / 2),
    y: Math.round(area.y + (area.height - height) / 2),
    width,
    height,
  }
}

/** The title bar is what one takes hold of, so its height counts from the top edge. */
function isWithinReach(window: Bounds, area: Bounds): boolean {
  const visible =
    Math.min(window.x + window.width, area.x + area.width) - Math.max(window.x, area.x)
  const isTitleInside = window.y >= area.y && window.y + HOLD.height <= area.y + area.height
  return visible >= HOLD.width && isTitleInside
}
