import { randomUUID } from 'node:crypto'
import type { QuillgateError } from '@quillgate/server/core'
import { editorError } from '../../errors.ts'
import type { Storage } from '../../storage/storage.ts'

/** Where probes are for a moment; outside the folders of media, and never served. */
const PROBE_FOLDER = 'quillgate-probes/'

/** Milliseconds after which a probe belongs to a copy that was killed. */
const ABANDONED_AFTER = 3_600_000

/**
 * Refuses a target that is the source under another name, such as a link to its folder or another client of its bucket:
 * the target gets an object that the source must not have. It is removed again, and so is what killed copies left.
 *
 * @throws QuillgateError `same_storage`, `storage_failed`
 */
export async function probeTarget(source: Pick<Storage, 'stat'>, target: Storage): Promise<void> {
  const key = `${PROBE_FOLDER}${randomUUID()}.txt`
  try {
    await target.write(key, body(), { type: 'text/plain' })
    if (await source.stat(key)) throw sameStorage()
    await removeAbandoned(target, key)
  } finally {
    await target.remove(key)
  }
}

/** By the clock of the storage itself, which may be another one than ours. */
async function removeAbandoned(target: Storage, key: string): Promise<void> {
  const now = (await target.stat(key))?.modifiedAt ?? 0
  for await (const probe of target.list(PROBE_FOLDER)) {
    if (probe.modifiedAt < now - ABANDONED_AFTER) await target.remove(probe.key)
  }
}

async function* body(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(
    'editor.copyTo looks whether this is another storage. It may be removed.\n',
  )
}

/** Of a target that is the present storage. */
export function sameStorage(): QuillgateError {
  return editorError(
    'same_storage',
    'copyTo got the storage of the editor, or one that leads to the same place. Pass another storage.',
  )
}
