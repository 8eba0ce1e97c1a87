import type { OpenedDatabase } from '../../../src/contract/index.ts'
import { isAway, useLiveValue } from '../../api/use-live.ts'

/** The colour of the environment around the whole window; around a local one only while writing is unlocked. */
export function WindowFrame({ opened }: { readonly opened: OpenedDatabase }) {
  const isUnlocked = useLiveValue((state) => state.isWritingUnlocked && !isAway(state))
  const told = useLiveValue((state) => state.report?.environment ?? null)
  const environment = opened.kind === 'file' ? 'local' : (told ?? opened.environment)
  if (environment !== 'local') {
    return <div aria-hidden="true" className="window-frame" data-environment={environment} />
  }
  return isUnlocked ? <div aria-hidden="true" className="window-frame" data-unlocked /> : null
}
