/** Items that were found. The list contains the first 1,000, but the count is complete. */
export interface Differences<Item> {
  readonly count: number
  readonly items: readonly Item[]
}

/** Collects {@link Differences}. */
export interface DifferenceList<Item> {
  add(item: Item): void
  readonly found: Differences<Item>
}

/** The greatest number of items in a list. */
export const MAX_ITEMS = 1000

/** Creates an empty list. */
export function createDifferenceList<Item>(): DifferenceList<Item> {
  const found = { count: 0, items: [] as Item[] }
  return {
    found,
    add(item) {
      found.count++
      if (found.items.length < MAX_ITEMS) found.items.push(item)
    },
  }
}
