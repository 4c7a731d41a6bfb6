const BATCH = 200

/** Splits a list into batches that are small enough for one statement on every engine. */
export function* batchesOf<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH)
}
