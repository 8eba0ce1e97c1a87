import { Icon } from './icons.tsx'

/** Over a frozen list that is old: the person decides when its rows may move. */
export function RefreshPill({
  children,
  onPress,
}: {
  readonly children: string
  readonly onPress: () => void
}) {
  return (
    <button className="list-pill" onClick={onPress} type="button">
      <Icon name="refresh" size={12} />
      {children}
    </button>
  )
}
