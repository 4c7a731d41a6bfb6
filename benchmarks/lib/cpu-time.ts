/**
 * Measures the CPU time of the process for some work, on all threads (compiler and garbage
 * collector included), in ms. Unlike a clock, it excludes the time of other processes. It does not
 * force a collection before: a full one removes hidden classes without live objects, and the
 * compiled code that depends on them. Parsers then ran at a third of their speed.
 */
export function cpuTime(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/**
 * Measures the CPU time of the main thread, in ms. It excludes the helper threads of the collector,
 * which wait actively for each other when other processes need the CPU.
 */
export function threadTime(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Measures asynchronous work: all CPU time of the process until it ends. */
export async function cpuTimeOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
