/**
 * Does the same to each item, some at once. After a failure none is begun any more; those under way are waited for, and
 * the first failure is thrown.
 *
 * @param atOnce how many
 * @returns what came of each, by item
 */
export async function inParallel<Item, Result>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Map<Item, Result>> {
  const results = new Map<Item, Result>()
  const failures: unknown[] = []
  // All workers take from the same iterator.
  const queue = new Set(items).values()
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      if (failures.length > 0) return
      try {
        results.set(item, await work(item))
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (failures.length > 0) throw failures[0]
  return results
}
