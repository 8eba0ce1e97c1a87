import { plural } from '../../lib/format.ts'
import { Icon } from '../../ui/icons.tsx'

/** Says how many events came that are not drawn, and shows them when pressed. */
export function NewEventsPill({
  count,
  onShow,
}: {
  readonly count: number
  readonly onShow: () => void
}) {
  return (
    <div aria-live="polite" className="new-events">
      {count > 0 && (
        <button className="new-events-pill" onClick={onShow} type="button">
          <Icon name="arrowUp" size={12} />
          {plural(count, 'new', 'new')}
          <span className="visually-hidden">events: show them</span>
        </button>
      )}
    </div>
  )
}
