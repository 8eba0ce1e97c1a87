import { formatClock, formatCount, plural } from '../../lib/format.ts'
import { usePreferences } from '../../state/preferences.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd, Tag } from '../../ui/chip.tsx'
import type { SearchStatus } from './search-run.ts'
import type { ShownSearch } from './use-search-run.ts'

/** How far the search is; stops it, or has it go on. */
export function SearchProgressLine({ run }: { readonly run: ShownSearch }) {
  const { zone } = usePreferences()
  const isRunning = run.status === 'running' || run.status === 'paused'
  const share = run.status === 'complete' ? 1 : run.progress.share
  return (
    <div className="search-progress" data-status={run.status}>
      <div
        aria-label="Looked at"
        aria-valuemax={100}
        aria-valuemin={0}
        aria-valuenow={share === null ? undefined : Math.floor(share * 100)}
        aria-valuetext={lookedAt(run)}
        className="search-bar"
        data-unknown={isRunning && share === null}
        role="progressbar"
      >
        <span style={{ transform: `scaleX(${share ?? 0})` }} />
      </div>
      <p className="search-standing num">
        <strong>{`${formatCount(run.hits.length)} found`}</strong>
        <span className="dim">{wordsOf(run)}</span>
        {!isRunning && <Tag>{`as of ${formatClock(run.startedAt, zone)}`}</Tag>}
        {run.isKeyOrder && run.hits.length > 1 && (
          <Tag title="The rows of this table have no numbers: the newest cannot be found first">
            by session
          </Tag>
        )}
        <span className="visually-hidden" role="status">
          {isRunning ? '' : `${plural(run.hits.length, 'event')} found. ${wordsOf(run)}`}
        </span>
      </p>
      <Actions run={run} />
    </div>
  )
}

function Actions({ run }: { readonly run: ShownSearch }) {
  if (run.status === 'running' || run.status === 'paused') {
    return (
      <Button onClick={run.stop} size="small">
        Stop <Kbd>Esc</Kbd>
      </Button>
    )
  }
  const canGoOn = run.status === 'stopped' || run.status === 'limit'
  return (
    <>
      {canGoOn && (
        <Button onClick={run.goOn} size="small">
          Go on
        </Button>
      )}
      {run.status !== 'failed' && (
        <Button
          onClick={run.again}
          size="small"
          title="From the newest event on, with what was written since"
        >
          Search again
        </Button>
      )}
    </>
  )
}

function lookedAt({ status, progress: { share, looked } }: ShownSearch): string {
  if (status === 'complete') return 'all events looked at'
  if (share !== null) return `${Math.floor(share * 100)} % looked at`
  return looked === null ? '' : `${plural(looked, 'event')} looked at`
}

function wordsOf(run: ShownSearch): string {
  return WORDS[run.status](lookedAt(run))
}

const WORDS: Record<SearchStatus, (lookedAt: string) => string> = {
  running: (looked) => looked,
  paused: (looked) => looked,
  stopped: (looked) => `stopped · ${looked}`,
  limit: (looked) => `stopped here · ${looked}`,
  complete: () => 'complete',
  replaced: () => 'ended · another file stands there now, or its rows were numbered anew',
  failed: (looked) => `ended early · ${looked}`,
}
