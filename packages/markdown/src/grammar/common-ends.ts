/** Counts the equal code units at the start and at the end of two texts. They do not overlap. */
export function commonEnds(
  some: string,
  other: string,
): { readonly prefix: number; readonly suffix: number } {
  const most = Math.min(some.length, other.length)
  const prefix = countEqual(most, (from, to) => some.slice(from, to) === other.slice(from, to))
  const last = (text: string, from: number, to: number): string =>
    text.slice(text.length - to, text.length - from)
  const isSame = (from: number, to: number): boolean =>
    last(some, from, to) === last(other, from, to)
  return { prefix, suffix: countEqual(most - prefix, isSame) }
}

/** Comparing slices is faster than comparing characters, and much faster than `startsWith`. */
function countEqual(most: number, isSame: (from: number, to: number) => boolean): number {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (isSame(low, middle)) low = middle
    else high = middle - 1
  }
  return low
}
