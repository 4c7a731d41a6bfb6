import { parse } from '@quillgate/server/core'
import type { Storage } from '../../storage/storage.ts'
import { forEachConcurrently } from '../for-each-concurrently.ts'
import { MARKER_KEY, readMarker, writeMarker } from '../ledger/installation-marker.ts'
import { COPY_OPTIONS, type CopyOptions, type CopyReport, createCopyTally } from './copy-report.ts'
import { type CopyDependencies, CopyRun } from './copy-run.ts'
import { countNeeded, neededFiles } from './needed-files.ts'
import { probeTarget, sameStorage } from './probe-target.ts'

/**
 * Makes the function that copies all media to another storage. It may be ended at any time and run again, also while
 * files are uploaded and deleted.
 *
 * The function throws ConfigurationError for options that cannot be, and QuillgateError `same_storage` when the target
 * is the present storage, `storage_failed` when nothing works.
 */
export function createCopy(
  dependencies: CopyDependencies,
): (target: Storage, options?: CopyOptions) => Promise<CopyReport> {
  return async (target, options = {}) => {
    if (target === dependencies.storage) throw sameStorage()
    const checked = parse(COPY_OPTIONS, options, 'copyTo')
    const { dryRun, acceptLosses, concurrency, onProgress } = checked
    const tally = createCopyTally()
    const [id, marker] = [await dependencies.installation.id(), await readMarker(target)]
    const { files, uploading } = await countNeeded(dependencies.database)
    if (id === null || (marker !== null && marker !== id)) {
      return tally.report({ dryRun, uploading, complete: false, stopped: 'installation_mismatch' })
    }
    if (!dryRun) await probeTarget(dependencies.storage, target)
    const run = new CopyRun(dependencies, target, checked, tally)
    await forEachConcurrently(neededFiles(dependencies.database), concurrency, async (medium) => {
      await run.copyFile(medium)
      const { files: done, copied, bytes } = tally.counts
      onProgress?.({ done, files: Math.max(done, files), copied, bytes })
    })
    await run.removeOutlived()
    const { lost, failed } = tally
    const complete = failed.found.count === 0 && (acceptLosses || lost.found.count === 0)
    if (dryRun) return tally.report({ dryRun, uploading, complete: false, stopped: null })
    // Without it nothing is deleted on the target.
    if (complete) await writeMarker(target, id)
    else await target.remove(MARKER_KEY)
    const isOurs = !complete || (await readMarker(target)) === id
    return tally.report({
      ...{ dryRun, uploading },
      complete: complete && isOurs,
      stopped: isOurs ? null : 'installation_mismatch',
    })
  }
}
