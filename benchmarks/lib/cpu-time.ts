/**
 * Measures the CPU time of the process for some work, in ms. Includes all threads, such as the
 * compiler and the garbage collector. Excludes the time of other processes. Does not force a
 * garbage collection before the work. A full collection would remove compiled code, and parsers
 * would then run at a third of their speed.
 */
export function cpuTime(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/**
 * Measures the CPU time of the main thread, in ms. Excludes the threads of the garbage collector,
 * because their CPU time grows when other processes need the CPU.
 */
export function threadTime(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Returns the CPU time of the process until asynchronous work ends, in ms. */
export async function cpuTimeOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
