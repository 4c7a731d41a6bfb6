/**
 * Does something with each item, with several at once; items are read only as fast as they are worked on. The first
 * failure ends it, when what is under way is done.
 *
 * @param limit how many at once, at least 1
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator =
    Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const failures: unknown[] = []
  const workOn = async (): Promise<void> => {
    try {
      while (failures.length === 0) {
        const next = await iterator.next()
        if (next.done) return
        await work(next.value)
      }
    } catch (error) {
      failures.push(error)
    }
  }
  await Promise.all(Array.from({ length: limit }, workOn))
  await iterator.return?.()
  if (failures.length > 0) throw failures[0]
}
