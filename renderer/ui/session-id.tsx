import { cutMiddle, formatCount, toVisible } from '../lib/format.ts'
import './session-id.css'

/** More characters than this are cut even where there is room. */
export const LONGEST_ID = 200
const TAIL = 7

/** A session's id on one line. Ids often differ at their end, so plain ones keep it when they are cut. */
export function SessionId({ id }: { readonly id: string }) {
  const text = cutMiddle(toVisible(id), LONGEST_ID)
  const title =
    id.length > LONGEST_ID ? `${formatCount(id.length)} characters: ${text}` : toVisible(id)
  // Bidirectional text would be reordered between the two halves.
  if (text.length <= 2 * TAIL || !/^[ -~…]+$/.test(text)) {
    return (
      <span className="session-id" title={title}>
        <span className="cut isolate">{text}</span>
      </span>
    )
  }
  return (
    <span className="session-id" title={title}>
      <span className="cut">{text.slice(0, -TAIL)}</span>
      <span className="tail">{text.slice(-TAIL)}</span>
    </span>
  )
}
