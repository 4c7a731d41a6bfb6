import { startServer } from './upload-servers.ts'

const SAMPLE_MS = 5

/** Starts a contender in this process; gives its port. */
export function start(name: string, directory: string): Promise<number> {
  return startServer(name, directory)
}

/** CPU time of this process so far, user and system, all threads, in ms. */
export function cpuSoFar(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

let largest = 0

/** Begins to look for the most memory in use. @returns the resident memory of now, in bytes */
export function watchMemory(): number {
  const now = process.memoryUsage.rss()
  largest = now
  setInterval(() => {
    largest = Math.max(largest, process.memoryUsage.rss())
  }, SAMPLE_MS).unref()
  return now
}

/** Most resident memory since {@link watchMemory}, in bytes. */
export function mostMemory(): number {
  return largest
}
