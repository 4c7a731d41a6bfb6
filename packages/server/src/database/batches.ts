const BATCH = 200

/** Divides a list into parts whose rows or values fit into one statement on every engine. */
export function* batchesOf<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH)
}
