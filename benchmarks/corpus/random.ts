/**
 * A random number generator with a fixed seed (mulberry32), so that each run makes the same
 * choices.
 */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns a random number that is at least 0 and less than `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[Math.floor(this.below(items.length))] ?? items[0]
  }

  join(count: number, separator: string, make: (index: number) => string): string {
    return Array.from({ length: count }, (_, index) => make(index)).join(separator)
  }
}
