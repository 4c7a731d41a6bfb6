/** The median and the quartiles of some values. */
export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** Throws a RangeError if there are no values. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b)
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
  }
}

// Interpolates between neighbors by rule R-7 (https://www.jstor.org/stable/2684934).
function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share
  const [low, high] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]]
  if (low === undefined || high === undefined)
    throw new RangeError('A median needs at least one value.')
  return low + (high - low) * (position - Math.floor(position))
}

/**
 * Returns the slope of a line through points. The slope is the median of the slopes of all pairs
 * (Theil–Sen), so single outliers do not change it.
 */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const slopes = points.flatMap(([x1, y1], index) =>
    points.slice(index + 1).map(([x2, y2]) => (y2 - y1) / (x2 - x1)),
  )
  return spreadOf(slopes).median
}
