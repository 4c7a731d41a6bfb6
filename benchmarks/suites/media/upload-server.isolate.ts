import { startServer } from './upload-servers.ts'

const SAMPLE_MS = 5

export function start(name: string, directory: string): Promise<number> {
  return startServer(name, directory)
}

/** Returns the CPU time of all threads of this process so far, in ms. */
export function cpuSoFar(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

let largest = 0

/** Starts to record the maximum memory. Returns the current resident memory, in bytes. */
export function watchMemory(): number {
  const now = process.memoryUsage.rss()
  largest = now
  setInterval(() => {
    largest = Math.max(largest, process.memoryUsage.rss())
  }, SAMPLE_MS).unref()
  return now
}

/** Returns the maximum resident memory since {@link watchMemory}, in bytes. */
export function mostMemory(): number {
  return largest
}
