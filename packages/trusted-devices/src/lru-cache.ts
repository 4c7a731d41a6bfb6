/** A map of bounded size that forgets what was not used for longest. */
export interface LruCache<Value> {
  /** The value, which counts as a use. */
  get(key: string): Value | undefined
  /** Keeps a value, and forgets another one when there are too many. */
  set(key: string, value: Value): void
  /** Forgets a value. */
  delete(key: string): void
  /** Forgets every value that `matches`. */
  deleteWhere(matches: (value: Value) => boolean): void
  /** Forgets everything. */
  clear(): void
}

/** Creates an empty cache. @param limit the most values that it keeps */
export function createLruCache<Value>(limit: number): LruCache<Value> {
  const values = new Map<string, Value>() // A Map keeps the order of insertion: the first key is the oldest.
  return {
    get(key) {
      const value = values.get(key)
      if (value === undefined) return undefined
      values.delete(key)
      values.set(key, value)
      return value
    },
    set(key, value) {
      values.delete(key)
      values.set(key, value)
      const oldest = values.keys().next()
      if (values.size > limit && !oldest.done) values.delete(oldest.value)
    },
    delete: (key) => void values.delete(key),
    deleteWhere(matches) {
      for (const [key, value] of values) if (matches(value)) values.delete(key)
    },
    clear: () => values.clear(),
  }
}
