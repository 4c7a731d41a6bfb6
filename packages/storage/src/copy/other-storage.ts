import { randomUUID } from 'node:crypto'
import type { QuillgateError } from '@quillgate/server/core'
import type { Storage } from '../storage.ts'
import { storageError } from '../storage-errors.ts'

/**
 * The folder of the probes, which exist only briefly. It is outside the folders of an application.
 */
const PROBE_FOLDER = 'quillgate-probes/'

/** Milliseconds after which a probe is abandoned, because its process must have ended. */
const ABANDONED_AFTER = 3_600_000

/**
 * Rejects a target that is the source under another name, such as a link to its folder or another
 * client of its bucket. It writes a probe to the target, which the source must not have. Afterwards
 * it removes the probe, and abandoned probes.
 *
 * @param dryRun - if true, nothing is written, and only the two storage instances are compared
 * @throws QuillgateError `same_storage`, `storage_failed`
 */
export async function assertOtherStorage(
  source: Storage,
  target: Storage,
  dryRun = false,
): Promise<void> {
  if (source === target) throw sameStorage()
  if (dryRun) return
  const key = `${PROBE_FOLDER}${randomUUID()}.txt`
  try {
    await target.write(key, body(), { type: 'text/plain' })
    if (await source.stat(key)) throw sameStorage()
    await removeAbandoned(target, key)
  } finally {
    await target.remove(key)
  }
}

/** Compares times of the storage itself, because its clock may differ from ours. */
async function removeAbandoned(target: Storage, key: string): Promise<void> {
  const now = (await target.stat(key))?.modifiedAt ?? 0
  for await (const probe of target.list(PROBE_FOLDER)) {
    if (probe.modifiedAt < now - ABANDONED_AFTER) await target.remove(probe.key)
  }
}

async function* body(): AsyncGenerator<Uint8Array> {
  const text = 'A copy checks whether this is another storage. This file may be removed.\n'
  yield new TextEncoder().encode(text)
}

function sameStorage(): QuillgateError {
  return storageError(
    'same_storage',
    'The target of a copy is the same storage as the source, or leads to the same place. Give it another storage.',
  )
}
