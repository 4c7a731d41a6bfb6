import { expandPathTemplate } from '../types/path-template.ts'
import { type Medium, withDimensions } from './ledger/medium.ts'
import type { MediaServices } from './services.ts'

/**
 * Makes a file permanent. Copies the bytes, changes the row, and then removes the temporary bytes.
 * Calls can be repeated and can overlap. If a call throws, a later call can complete the work.
 *
 * @param known the row, which another call may have changed since it was read
 * @param givesUp if true, deletes a file whose bytes are missing. Only the sweep passes true, for
 * old promotions, because bytes are also missing while the storage is not mounted.
 * @returns the permanent or orphaned file, or null if the file or its bytes are missing
 */
export async function promote(
  media: MediaServices,
  known: Medium,
  givesUp = false,
): Promise<Medium | null> {
  const { ledger, settings, clock, logger } = media
  const { id } = known
  for (let medium: Medium | null = known; ; medium = await ledger.get(id)) {
    if (medium?.state === 'permanent' || medium?.state === 'orphaned') return medium
    if (medium?.state !== 'temporary' && medium?.state !== 'promoting') return null
    const key = medium.key ?? permanentKey(settings.uploadPath, clock(), medium)
    if (medium.state === 'temporary' && !(await ledger.beginPromotion(id, key, clock()))) continue
    if (await copyAndComplete(media, medium, key)) continue
    const lost = `The bytes of medium ${id} are missing: neither ${medium.tempKey} nor ${key} is in the storage.`
    const advice = 'Restore one of them before the sweep deletes the file.'
    logger.error(`${lost} ${givesUp ? 'The file is deleted.' : advice}`)
    if (givesUp) await ledger.giveUp(id, 'promoting', clock())
    return null
  }
}

function permanentKey(uploadPath: string, at: number, { tempKey, ...size }: Medium): string {
  const name = tempKey.slice(tempKey.lastIndexOf('/') + 1)
  return expandPathTemplate(uploadPath, at) + withDimensions(name, size)
}

/** Returns false if the bytes are missing. */
async function copyAndComplete(
  media: MediaServices,
  { id, tempKey, size }: Medium,
  key: string,
): Promise<boolean> {
  const { ledger, storage, clock } = media
  const stateNow = async (): Promise<string | undefined> => (await ledger.get(id))?.state
  try {
    const isCopied = (await storage.copy(tempKey, key)) || (await storage.stat(key))?.size === size
    // Another call may have made the file permanent and removed the temporary bytes.
    if (!isCopied) return (await stateNow()) !== 'promoting'
  } catch (error) {
    if ((await stateNow()) === 'promoting') throw error
    return true
  }
  if (await ledger.completePromotion(id, clock())) {
    await removeUnneeded(media, tempKey)
    return true
  }
  const state = await stateNow()
  // While this call copied the bytes, another call made the file permanent, and the file was
  // deleted. So no other call removes the copy of this call.
  if (state === 'deleting' || state === 'deleted') await removeUnneeded(media, key)
  return true
}

async function removeUnneeded({ storage, logger }: MediaServices, key: string): Promise<void> {
  try {
    await storage.remove(key)
  } catch (error) {
    logger.warn(`The object ${key} is no longer needed, but could not be removed.`, error)
  }
}
