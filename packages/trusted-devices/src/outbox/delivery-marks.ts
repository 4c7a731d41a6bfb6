import type { OutboxTable } from './outbox-table.ts'

/**
 * Notes what was delivered, in the order of the deliveries. While one statement runs the next ones gather, so that many
 * quick deliveries cost few statements.
 */
export interface DeliveryMarks {
  add(position: number): void
  /** Fulfils when everything is noted. @throws what a statement threw; those rows will be delivered again */
  flush(): Promise<void>
}

/** Begins with nothing to note. */
export function createDeliveryMarks(table: OutboxTable, clock: () => number): DeliveryMarks {
  let waiting: number[] = []
  let running: Promise<void> | null = null
  let failure: { readonly error: unknown } | null = null

  async function run(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const positions = waiting
        waiting = []
        await table.markDelivered(positions, clock())
      }
    } catch (error) {
      failure = { error }
    } finally {
      running = null
    }
  }

  return {
    add(position) {
      waiting.push(position)
      running ??= Promise.resolve().then(run) // In a moment, when those that end together have ended.
    },
    async flush() {
      await running
      const failed = failure
      failure = null
      if (failed) throw failed.error
    },
  }
}
