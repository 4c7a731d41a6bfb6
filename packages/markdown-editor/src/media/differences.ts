/** Things of one kind that were found; the list holds the first 1,000, the count all. */
export interface Differences<Item> {
  readonly count: number
  readonly items: readonly Item[]
}

/** Collects {@link Differences}. */
export interface DifferenceList<Item> {
  add(item: Item): void
  readonly found: Differences<Item>
}

/** How many items a list holds. */
export const MOST_ITEMS = 1000

/** Makes an empty list. */
export function createDifferenceList<Item>(): DifferenceList<Item> {
  const found = { count: 0, items: [] as Item[] }
  return {
    found,
    add(item) {
      found.count++
      if (found.items.length < MOST_ITEMS) found.items.push(item)
    },
  }
}
