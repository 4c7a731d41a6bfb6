import { createHash } from 'node:crypto'
import type { Storage, StoredBody, StoredObject } from '../storage.ts'
import { isConflict } from '../storage-errors.ts'
import type { ObjectToCopy } from './copy-report.ts'

/** The result of copying one object. */
export type ObjectOutcome =
  | 'present'
  | 'copied'
  /** The target had an object with other bytes. */
  | 'replaced'
  /** The source has no such object. */
  | 'missing'
  /** The source has other bytes than recorded. */
  | 'damaged'

/** Source and target of a copy, and how to compare. */
export interface ObjectCopy {
  readonly source: Pick<Storage, 'read' | 'stat'>
  readonly target: Pick<Storage, 'read' | 'stat' | 'write' | 'remove'>
  readonly compare: 'checksum' | 'size'
  /** Called and awaited before the first change of the target. */
  beforeChange(): Promise<void>
}

class DamagedSource extends Error {
  override name = 'DamagedSource'
}

/**
 * Copies one object. Size and checksum are compared while the bytes stream, so that the target
 * never gets other bytes than the recorded ones. Can be repeated, also by two callers at the same
 * time.
 *
 * @throws QuillgateError `storage_failed`
 */
export async function copyObject(copy: ObjectCopy, object: ObjectToCopy): Promise<ObjectOutcome> {
  const { source, target } = copy
  const { key, type } = object
  const there = await target.stat(key)
  if (there && (await isWhole(copy, there, object))) return 'present'
  // The object of the target may be the only copy of the file, so only an undamaged one replaces
  // it.
  const flaw = there && (await flawOf(source, object))
  if (flaw) return flaw
  const stored = await source.read(key)
  if (!stored) return 'missing'
  try {
    await copy.beforeChange()
    if (there) await target.remove(key)
    await target.write(key, checked(stored, object), { type })
    return there ? 'replaced' : 'copied'
  } catch (error) {
    if (error instanceof DamagedSource) return 'damaged'
    // Another process may have copied the object meanwhile.
    const now = isConflict(error) ? await target.stat(key) : null
    if (now && (await isWhole(copy, now, object))) return 'present'
    throw error
  } finally {
    await stored.body.cancel().catch(() => {}) // Fails if the target has already read it.
  }
}

/** Returns what {@link copyObject} would do, by comparing only sizes. */
export async function planObject(
  { source, target }: Pick<ObjectCopy, 'source' | 'target'>,
  { key, size }: ObjectToCopy,
): Promise<ObjectOutcome> {
  const there = await target.stat(key)
  if (there?.size === size) return 'present'
  const original = await source.stat(key)
  if (!original) return 'missing'
  if (original.size !== size) return 'damaged'
  return there ? 'replaced' : 'copied'
}

/** Whether the target has the recorded bytes. */
async function isWhole(
  { target, compare }: Pick<ObjectCopy, 'target' | 'compare'>,
  there: StoredObject,
  { size, checksum }: ObjectToCopy,
): Promise<boolean> {
  if (there.size !== size) return false
  if (compare === 'size') return true
  const stored = await target.read(there.key)
  if (!stored) return false
  const hash = createHash('sha256')
  for await (const chunk of stored.body) hash.update(chunk)
  return hash.digest('hex') === checksum
}

/** Returns the problem of the source's object; null if it has the recorded bytes. */
async function flawOf(
  source: ObjectCopy['source'],
  object: ObjectToCopy,
): Promise<'missing' | 'damaged' | null> {
  const stored = await source.read(object.key)
  if (!stored) return 'missing'
  try {
    for await (const _ of checked(stored, object)); // Reads to the end.
    return null
  } catch (error) {
    if (error instanceof DamagedSource) return 'damaged'
    throw error
  }
}

async function* checked(
  { body }: StoredBody,
  { size, checksum }: ObjectToCopy,
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
