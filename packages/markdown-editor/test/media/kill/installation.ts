import type { Dialect } from '@quillgate/server/database'
import { createFakeClock, type FakeClock } from '@quillgate/server/testing'

/** The data that outlives a process: files, database, and the recorded calls of `onDeleted`. */
export interface Installation {
  readonly engine: Dialect
  /** The URL of the database. */
  readonly url: string
  /** The directory of the media. */
  readonly directory: string
  readonly clock: FakeClock
  readonly orphanGrace: number
  readonly maxUploadSize: number
  /** The ids of the files for which `onDeleted` was called. */
  readonly deletedIds: Set<string>
  readonly logged: string[]
  readonly log: (message: string, details?: unknown) => void
}

export interface InstallationSettings {
  readonly orphanGrace: number
  readonly maxUploadSize?: number
  /** Whether no process has ever been started on the installation. */
  readonly isNew?: boolean
}

/** The only object in the storage that is not a medium. */
export const MARKER = 'quillgate-installation.txt'
const MEGABYTE = 1024 * 1024

/** @param original the installation of which this is a copy */
export function createInstallation(
  engine: Dialect,
  url: string,
  directory: string,
  settings: InstallationSettings,
  original?: Installation,
): Installation {
  const logged: string[] = []
  return {
    ...{ engine, url, directory, logged },
    orphanGrace: settings.orphanGrace,
    maxUploadSize: settings.maxUploadSize ?? MEGABYTE,
    clock: createFakeClock(original?.clock() ?? Date.now()), // Files on the disk have real times.
    deletedIds: new Set(original?.deletedIds),
    log: (message, details) =>
      void logged.push(details === undefined ? message : `${message} ${String(details)}`),
  }
}
