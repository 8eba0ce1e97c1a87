/** The position of the list row that was clicked, from its `data-position`; null beside all rows. */
export function positionOf(target: EventTarget): number | null {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-position]') : null
  const position = row?.dataset['position']
  return position === undefined ? null : Number(position)
}
