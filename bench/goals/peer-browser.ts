import type { Bench } from '../bench-run.ts'
import { type FilterField, startDbBrowser } from '../children/db-browser.ts'
import { openVirtualScreen, type VirtualScreen } from '../children/virtual-screen.ts'
import { NEEDLE } from '../generate/spec.ts'
import { compare, type Outcome } from '../measure/outcome.ts'
import { roundRobin, type Turn } from '../measure/rounds.ts'
import { inPlaceOf, missing, toReason } from './peer-programs.ts'
import { searchAll } from './searching.ts'
import { untilFirstSessions } from './start.ts'

type Line = 'start' | FilterField

/** Beside DB Browser on a screen of its own. `copy`: the same file, for DB Browser alone. */
export async function compareWithBrowser(
  bench: Bench,
  copy: () => string,
): Promise<Record<Line, Outcome>> {
  const why = missing('sqlitebrowser', 'Xvfb')
  if (why !== undefined) return inPlaceOf(['start', 'everything', 'payload'], why)
  const screen = await openVirtualScreen(bench.folder('screen'))
  const peer: Peer = { screen, path: copy(), home: bench.folder('home') }
  try {
    const start = await compareStarts(bench, peer).catch(toReason)
    return { start, ...(await compareFilters(bench, peer)) }
  } finally {
    await screen.close()
  }
}

interface Peer {
  readonly screen: VirtualScreen
  readonly path: string
  /** The same each time: later starts of the same person. */
  readonly home: string
}

async function compareStarts(bench: Bench, { screen, path, home }: Peer): Promise<Outcome> {
  const electron = await bench.electron()
  const found = await roundRobin({
    own: untilFirstSessions(electron, bench.file(), bench.folder('start')),
    browser: async () => {
      const browser = await startDbBrowser(screen, path, home)
      await browser.close()
      return browser.shownMs
    },
  })
  return compare(found.own, found.browser)
}

async function compareFilters(bench: Bench, peer: Peer): Promise<Record<FilterField, Outcome>> {
  const fields = ['everything', 'payload'] as const
  const why = missing('xdotool')
  if (why !== undefined) return inPlaceOf(fields, why)
  try {
    const found = await roundRobin({
      everything: ownSearch(bench, 'everything'),
      browserEverything: browserFilter(peer, 'everything'),
      payload: ownSearch(bench, 'payload'),
      browserPayload: browserFilter(peer, 'payload'),
    })
    return {
      everything: compare(found.everything, found.browserEverything),
      payload: compare(found.payload, found.browserPayload),
    }
  } catch (error) {
    return inPlaceOf(fields, toReason(error))
  }
}

function ownSearch(bench: Bench, scope: FilterField): Turn {
  return async () => (await searchAll(bench, bench.file(), scope)).tookMs
}

function browserFilter({ screen, path, home }: Peer, field: FilterField): Turn {
  return async () => {
    const browser = await startDbBrowser(screen, path, home)
    try {
      return await browser.filter(field, NEEDLE)
    } finally {
      await browser.close()
    }
  }
}
