/**
 * Measures what the process spends on work, on all of its threads (compiler and garbage collector too), in ms. Unlike
 * the clock it does not count the time in which other processes had the processor.
 *
 * No collection is forced before: a full one throws away the hidden classes without a live object, and with them the
 * compiled code that relies on them. Parsers then ran at a third of their speed.
 */
export function cpuTime(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/**
 * Measures what the main thread spends on work, in ms: how long it is blocked. The collector's helpers do not count, which
 * wait for each other with a busy processor when others want it too.
 */
export function threadTime(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** As above, for asynchronous work: all CPU time of the process until it is done. */
export async function cpuTimeOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
