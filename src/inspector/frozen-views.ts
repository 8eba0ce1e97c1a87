import { randomUUID } from 'node:crypto'

const MAX_VIEWS = 16

/** Orders that were shown to someone: read by position while what is behind them changes. */
export class FrozenViews<Item> {
  readonly #views = new Map<string, { readonly items: readonly Item[]; readonly epoch: number }>()

  /** Keeps an order; the one not used for longest is forgotten. */
  add(items: readonly Item[], epoch: number): string {
    const viewId = randomUUID()
    this.#views.set(viewId, { items, epoch })
    const oldest = this.#views.keys().next().value
    if (this.#views.size > MAX_VIEWS && oldest !== undefined) this.#views.delete(oldest)
    return viewId
  }

  /** undefined: forgotten, or made from another file. */
  find(viewId: string, epoch: number): readonly Item[] | undefined {
    const view = this.#views.get(viewId)
    if (view === undefined || view.epoch !== epoch) return undefined
    this.#views.delete(viewId)
    this.#views.set(viewId, view)
    return view.items
  }
}
