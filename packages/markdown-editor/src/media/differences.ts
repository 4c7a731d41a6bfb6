/** A list of at most 1,000 items, and the number of all items that were found. */
export interface Differences<Item> {
  readonly count: number
  readonly items: readonly Item[]
}

/** Collects {@link Differences}. */
export class DifferenceList<Item> {
  static readonly MAX_ITEMS: number = 1000
  readonly #items: Item[] = []
  #count = 0

  add(item: Item): void {
    this.#count++
    if (this.#items.length < DifferenceList.MAX_ITEMS) this.#items.push(item)
  }

  get found(): Differences<Item> {
    return { count: this.#count, items: this.#items }
  }
}
