export class Random {
  #state: number

  /** @param seeds - integers that together select the sequence of numbers */
  constructor(...seeds: readonly number[]) {
    this.#state = 0
    for (const seed of seeds) {
      this.#state = (this.#state ^ seed) | 0
      this.#state = Math.floor(this.fraction() * 2 ** 32) | 0
    }
  }

  /**
   * Returns a number from 0 to below 1. The algorithm is mulberry32, see
   * https://gist.github.com/tommyettinger/46a874533244883189143505d203312c
   */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  below(limit: number): number {
    return Math.floor(this.fraction() * limit)
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('Nothing to pick from')
    return list[this.below(list.length)] as T
  }

  repeat(least: number, most: number, make: () => string, glue = ''): string {
    return Array.from({ length: least + this.below(most - least + 1) }, make).join(glue)
  }
}
