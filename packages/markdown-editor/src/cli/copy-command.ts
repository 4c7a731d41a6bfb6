import { UsageError } from '@quillgate/server/cli'
import type { Storage } from '@quillgate/storage'
import type { CopyProgress, CopyReport } from '../media/copy/copy-media.ts'
import type { Command } from './command.ts'
import { STORAGE } from './load-editor.ts'
import { describeCopy } from './reports.ts'

/** Milliseconds between two lines that tell how far the copy is. */
const TELL_EVERY = 2000

/** `copy --to <name>`: to a storage that the configuration exports. */
export const copy: Command = {
  options: ['to', 'dry-run', 'sizes-only', 'accept-losses', 'concurrency'],
  async run({ editor, configuration, values, writeError }) {
    if (values.to === undefined)
      throw new UsageError('copy needs --to, the name of a storage that the configuration exports.')
    const concurrency = parseConcurrency(values.concurrency)
    const target: Storage = configuration.get(values.to, STORAGE)
    try {
      const report = await editor.copyTo(target, {
        dryRun: values['dry-run'] ?? false,
        acceptLosses: values['accept-losses'] ?? false,
        compare: values['sizes-only'] ? 'size' : 'checksum',
        onProgress: progressTo(writeError),
        ...(concurrency === null ? {} : { concurrency }),
      })
      return { report, text: describeCopy(report), code: exitCode(report) }
    } finally {
      await target.close?.()
    }
  },
}

function parseConcurrency(value: string | undefined): number | null {
  if (value === undefined) return null
  if (!/^[1-9]\d{0,3}$/.test(value))
    throw new UsageError('--concurrency must be a whole number, 1 to 9999.')
  return Number(value)
}

function exitCode({ stopped, complete, dryRun, lost, failed }: CopyReport): 0 | 1 | 3 {
  if (stopped !== null) return 3
  return complete || (dryRun && lost.count + failed.count === 0) ? 0 : 1
}

/** Tells now and then how far the copy is, and once when it has seen all files. */
function progressTo(writeError: (text: string) => void): (progress: CopyProgress) => void {
  let told = 0
  return ({ done, files, copied, bytes }) => {
    const now = Date.now()
    if (now - told < TELL_EVERY && done < files) return
    told = now
    writeError(`${done} of ${files} files; copied ${copied} (${(bytes / 1e6).toFixed(1)} MB)\n`)
  }
}
