import type { Dialect } from '@quillgate/server/database'
import { createFakeClock, type FakeClock } from '@quillgate/server/testing'

/** What outlives a process: its disk, its database, and what the world has heard of it. */
export interface Place {
  readonly engine: Dialect
  /** Of the database. */
  readonly url: string
  /** Of the media. */
  readonly directory: string
  readonly clock: FakeClock
  readonly orphanGrace: number
  readonly maxUploadSize: number
  /** Ids of which `onDeleted` told. */
  readonly heardDeleted: Set<string>
  readonly logged: string[]
  readonly log: (message: string, details?: unknown) => void
}

/** How a place is. */
export interface PlaceSettings {
  readonly orphanGrace: number
  readonly maxUploadSize?: number
  /** Nothing was ever started there. */
  readonly isNew?: boolean
}

/** The one object that is no medium. */
export const MARKER = 'quillgate-installation.txt'
const MEGABYTE = 1024 * 1024

/** Names a place. @param original a place that it is a copy of */
export function placeAt(
  engine: Dialect,
  url: string,
  directory: string,
  settings: PlaceSettings,
  original?: Place,
): Place {
  const logged: string[] = []
  return {
    ...{ engine, url, directory, logged },
    orphanGrace: settings.orphanGrace,
    maxUploadSize: settings.maxUploadSize ?? MEGABYTE,
    clock: createFakeClock(original?.clock() ?? Date.now()), // The files on the disk have the real time.
    heardDeleted: new Set(original?.heardDeleted),
    log: (message, details) =>
      void logged.push(details === undefined ? message : `${message} ${String(details)}`),
  }
}
