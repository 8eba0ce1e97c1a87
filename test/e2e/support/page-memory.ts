import type { Page } from '@playwright/test'

/** Where in the page each text is: its heap after a collection, the document, its fields, its storage. */
export async function findInPage(page: Page, texts: readonly string[]): Promise<string[][]> {
  const places = { ...(await page.evaluate(readPlaces)), heap: await takeHeap(page) }
  return texts.map((text) =>
    Object.entries(places).flatMap(([place, content]) => (content.includes(text) ? [place] : [])),
  )
}

/** A snapshot of all that the page's scripts can reach, as JSON text. */
async function takeHeap(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page)
  const chunks: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  await session.send('HeapProfiler.enable')
  await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  await session.detach()
  return chunks.join('')
}

/** Runs in the page. */
function readPlaces() {
  const fields = [...document.querySelectorAll('input, textarea')] as HTMLInputElement[]
  const requests = performance.getEntriesByType('resource')
  return {
    document: document.documentElement.outerHTML,
    fields: fields.map(({ value }) => value).join('\n'),
    storage: JSON.stringify([localStorage, sessionStorage]),
    history: `${location.href} ${JSON.stringify(history.state)}`,
    requests: requests.map(({ name }) => name).join('\n'),
  }
}
