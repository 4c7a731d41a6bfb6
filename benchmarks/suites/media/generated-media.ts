import { type Storage, storageConflict } from '@quillgate/storage'

/** The upload time of the first generated files. A million files follow within two minutes. */
export const T0: number = Date.UTC(2026, 0, 1)

/** The settings that name the folders. */
export const folders = { tempUploadPath: 'tmp/', uploadPath: 'uploads/' } as const

/** The size of each object in the storage, in bytes. */
export const OBJECT_SIZE = 100_000

/**
 * Of `PERIOD` files, `TEMPORARY` files are temporary and `ORPHANED` files are orphans. The others
 * are permanent. Each permanent file has one record.
 */
const [TEMPORARY, ORPHANED, PERIOD] = [1, 1, 20]

/** One file of a large ledger. */
export interface GeneratedMedium {
  readonly id: string
  readonly state: 'temporary' | 'permanent' | 'orphaned'
  readonly tempKey: string
  readonly key: string | null
}

/** Returns the file with a number. Files are calculated, so that a million files need no memory. */
export function mediumOf(index: number): GeneratedMedium {
  // The id seems random, because real ids have no order. Ids consist of hexadecimal digits.
  const id = `m${multiply(index, FACTOR).toString(16).padStart(8, '0')}${'0'.repeat(18)}`
  const place = index % PERIOD
  const state =
    place < TEMPORARY ? 'temporary' : place < TEMPORARY + ORPHANED ? 'orphaned' : 'permanent'
  const name = `${id}-photo.png`
  const key = state === 'temporary' ? null : `${folders.uploadPath}${name}`
  return { id, state, tempKey: `${folders.tempUploadPath}${name}`, key }
}

export function orphansOf(count: number): number {
  return Math.floor((count + PERIOD - 1 - TEMPORARY) / PERIOD) * ORPHANED
}

// Two odd numbers that are inverse to each other modulo 2³².
const [FACTOR, INVERSE] = [0x9e3779b1, 0x0e8b2f51]

function multiply(index: number, factor: number): number {
  return Math.imul(index, factor) >>> 0
}

function indexOf(key: string): number {
  const id = key.lastIndexOf('/') + 1
  return multiply(Number.parseInt(key.slice(id + 1, id + 9), 16), INVERSE)
}

/**
 * Creates a storage whose objects exist only as numbers. A real storage would need a million files
 * for each run, and its time and memory are not the subject of this benchmark.
 *
 * @param others contains objects that are not files of the ledger, such as the marker of the
 * installation
 */
export function generatedStorage(count: number, others: Storage): Storage {
  const removed = new Uint8Array(count)
  const find = (key: string): GeneratedMedium | null => {
    const index = indexOf(key)
    if (!(index < count) || removed[index] === 1) return null
    const medium = mediumOf(index)
    return key === (medium.key ?? medium.tempKey) ? medium : null
  }
  const isOurs = (key: string): boolean =>
    Object.values(folders).some((folder) => key.startsWith(folder))
  return {
    async write(key, body, info) {
      if (isOurs(key)) throw storageConflict(key)
      return others.write(key, body, info)
    },
    read: (key, range) => others.read(key, range),
    stat: async (key) => (find(key) ? { key, size: OBJECT_SIZE, modifiedAt: T0 } : null),
    copy: async () => false,
    async remove(key) {
      if (!find(key)) return false
      removed[indexOf(key)] = 1
      return true
    },
    async *list(prefix) {
      for (let index = 0; index < count; index++) {
        const medium = mediumOf(index)
        const key = medium.key ?? medium.tempKey
        if (removed[index] === 0 && key.startsWith(prefix))
          yield { key, size: OBJECT_SIZE, modifiedAt: T0 }
      }
    },
  }
}
