import { randomUUID } from 'node:crypto'

const MAX_VIEWS = 16
/** Lists of a big database are kept for fewer windows: this many rows in all, but for the last few lists. */
const MAX_ITEMS = 400_000
const MIN_VIEWS = 4

/** Orders that were shown to someone: read by position while what is behind them changes. */
export class FrozenViews<List extends { readonly length: number }> {
  readonly #views = new Map<string, { readonly items: List; readonly epoch: number }>()

  /** Keeps an order; those not used for longest are forgotten. */
  add(items: List, epoch: number): string {
    const viewId = randomUUID()
    this.#views.set(viewId, { items, epoch })
    let kept = 0
    for (const view of this.#views.values()) kept += view.items.length
    for (const [oldest, view] of this.#views) {
      const isTooMuch = kept > MAX_ITEMS && this.#views.size > MIN_VIEWS
      if (this.#views.size <= MAX_VIEWS && !isTooMuch) break
      this.#views.delete(oldest)
      kept -= view.items.length
    }
    return viewId
  }

  /** undefined: forgotten, or made from another file. */
  find(viewId: string, epoch: number): List | undefined {
    const view = this.#views.get(viewId)
    if (view === undefined || view.epoch !== epoch) return undefined
    this.#views.delete(viewId)
    this.#views.set(viewId, view)
    return view.items
  }
}
