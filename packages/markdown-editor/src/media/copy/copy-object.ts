import { createHash } from 'node:crypto'
import { isQuillgateError } from '@quillgate/server/core'
import type { Storage, StoredBody, StoredObject } from '../../storage/storage.ts'
import type { Medium } from '../ledger/medium.ts'

/** What became of one object. */
export type ObjectOutcome =
  | 'present'
  | 'copied'
  /** The target had another object there. */
  | 'replaced'
  /** The source has none. */
  | 'missing'
  /** The source has another one than the ledger says. */
  | 'damaged'

/** From where to where, and how. */
export interface ObjectCopy {
  readonly source: Pick<Storage, 'read' | 'stat'>
  readonly target: Pick<Storage, 'read' | 'stat' | 'write' | 'remove'>
  readonly compare: 'checksum' | 'size'
  /** Is awaited before the first change of the target. */
  beforeChange(): Promise<void>
}

class DamagedSource extends Error {
  override name = 'DamagedSource'
}

/**
 * Brings one object to the target as the ledger knows it. The bytes are checked on their way: nothing else than these
 * ever becomes an object of the target. Can be repeated, also by two at once.
 *
 * @throws QuillgateError `storage_failed`
 */
export async function copyObject(
  copy: ObjectCopy,
  key: string,
  medium: Medium,
): Promise<ObjectOutcome> {
  const { source, target } = copy
  const there = await target.stat(key)
  if (there && (await isWhole(copy, there, medium))) return 'present'
  // What is there may be all that is left of the file: it only goes when there is something better.
  const flaw = there && (await flawOf(source, key, medium))
  if (flaw) return flaw
  const stored = await source.read(key)
  if (!stored) return 'missing'
  try {
    await copy.beforeChange()
    if (there) await target.remove(key)
    await target.write(key, checked(stored, medium), { type: medium.type })
    return there ? 'replaced' : 'copied'
  } catch (error) {
    if (error instanceof DamagedSource) return 'damaged'
    // Another copy was quicker.
    const now = isConflict(error) ? await target.stat(key) : null
    if (now && (await isWhole(copy, now, medium))) return 'present'
    throw error
  } finally {
    await stored.body.cancel().catch(() => {}) // It is locked, or at its end, unless the target never read it.
  }
}

/** What {@link copyObject} would do, as far as sizes tell. */
export async function planObject(
  { source, target }: Pick<ObjectCopy, 'source' | 'target'>,
  key: string,
  { size }: Medium,
): Promise<ObjectOutcome> {
  const there = await target.stat(key)
  if (there?.size === size) return 'present'
  const original = await source.stat(key)
  if (!original) return 'missing'
  if (original.size !== size) return 'damaged'
  return there ? 'replaced' : 'copied'
}

/** True when the target has the object as the ledger knows it. */
async function isWhole(
  { target, compare }: Pick<ObjectCopy, 'target' | 'compare'>,
  there: StoredObject,
  { size, checksum }: Medium,
): Promise<boolean> {
  if (there.size !== size) return false
  if (compare === 'size') return true
  const stored = await target.read(there.key)
  if (!stored) return false
  const hash = createHash('sha256')
  for await (const chunk of stored.body) hash.update(chunk)
  return hash.digest('hex') === checksum
}

/** What is wrong with the object of the source; null: it is as the ledger knows it. */
async function flawOf(
  source: ObjectCopy['source'],
  key: string,
  medium: Medium,
): Promise<'missing' | 'damaged' | null> {
  const stored = await source.read(key)
  if (!stored) return 'missing'
  try {
    for await (const _ of checked(stored, medium)); // Read to its end.
    return null
  } catch (error) {
    if (error instanceof DamagedSource) return 'damaged'
    throw error
  }
}

async function* checked(
  { body }: StoredBody,
  { size, checksum }: Medium,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let length = 0
  for await (const chunk of body) {
    hash.update(chunk)
    length += chunk.byteLength
    yield chunk
  }
  if (length !== size || hash.digest('hex') !== checksum) throw new DamagedSource()
}

function isConflict(error: unknown): boolean {
  return isQuillgateError(error) && error.code === 'storage_conflict'
}
