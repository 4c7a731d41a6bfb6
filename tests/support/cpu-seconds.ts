/**
 * Measures the CPU time of `action` in seconds. Adds user time and system time. On a busy machine,
 * the result can be ten times as high, because it includes the threads of the garbage collector. If
 * a run exceeds `limit`, it is repeated at most twice. The shortest time is returned. A quadratic
 * algorithm exceeds the limit in each run.
 */
export function cpuSeconds(action: () => unknown, limit: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3 && least >= limit; run++) {
    const before = process.cpuUsage()
    action()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1e6)
  }
  return least
}
