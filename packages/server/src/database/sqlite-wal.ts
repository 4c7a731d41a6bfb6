import { type FileHandle, open } from 'node:fs/promises'
import { combineRuns } from '../core/combine-runs.ts'
import { type QuillgateError, serverError } from '../core/errors.ts'

/**
 * Syncs the write-ahead log to disk outside the main thread. All waiting commits share one sync.
 * Commits are as durable as with SQLite's `synchronous = FULL`. SQLite itself runs with `NORMAL`
 * and syncs the log only before copying it into the database. SQLite has no locks on the log, so
 * no lock is lost when this class closes the log.
 */
export class WalSync {
  readonly #path: string
  #handle: FileHandle | undefined
  #written = 0
  #synced = 0
  #failure: QuillgateError | undefined
  readonly #sync = combineRuns(async () => {
    if (this.#failure) throw this.#failure
    const written = this.#written
    try {
      this.#handle ??= await open(this.#path, 'r+')
      await this.#handle.datasync()
      this.#synced = written
    } catch (cause) {
      // After a failed sync, the operating system may mark the unwritten pages as written. A second
      // sync would then succeed without writing these pages.
      this.#failure ??= notDurable(cause)
      throw this.#failure
    }
  })

  constructor(database: string) {
    this.#path = `${database}-wal`
  }

  get isDurable(): boolean {
    return this.#synced === this.#written
  }

  /** Records that the log may have grown. */
  noteWrite(): void {
    this.#written++
  }

  /**
   * Waits until all recorded writes are on disk.
   *
   * @throws QuillgateError `database_unavailable` if a sync fails. Every later call throws it too,
   * because the content of the disk is then unknown.
   */
  async durable(): Promise<void> {
    if (!this.isDurable) await this.#sync()
  }

  async close(): Promise<void> {
    await this.#handle?.close()
  }
}

function notDurable(cause: unknown): QuillgateError {
  const detail =
    'The database could not be written to disk. Repair the disk, then restart the application.'
  const internal = `${detail} The reason: ${cause instanceof Error ? cause.message : String(cause)}`
  return serverError('database_unavailable', detail, { cause, internal })
}
