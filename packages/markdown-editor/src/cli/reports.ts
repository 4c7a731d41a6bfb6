import type { CheckReport } from '../media/check.ts'
import type { RebuildReport } from '../media/references.ts'
import type { SweepKind, SweepReport } from '../media/sweep/sweep-report.ts'

const DONE: Readonly<Record<SweepKind, string>> = {
  expired: 'Deleted expired temporary file',
  unsaved: 'Deleted file that no record ever referenced',
  never_referenced: 'Kept file that no record ever referenced',
  orphaned: 'Deleted orphan',
  unsettled: 'Orphaned file without references',
  interrupted: 'Completed interrupted step of',
  forgotten: 'Forgot file that was deleted long ago',
  stray: 'Deleted stray object',
}

const REASONS: Readonly<Record<NonNullable<SweepReport['stopped']>, string>> = {
  installation_mismatch:
    'Nothing is deleted: the storage does not carry the marker of this database. Check that both belong together; ' +
    'if they do, restore quillgate-installation.txt in the storage.',
  too_many:
    'Stopped before deleting more than max(1000, 5 %) of all files. Look at the list; if it is right, use --force.',
}

const NEVER_REFERENCED =
  'no record has ever referenced them. The setting unsavedGrace deletes such files. Use it only when every text is ' +
  'tracked by references.set or the hooks of an ORM, and after "markdown-editor reindex" has read the texts saved before.'

/** Describes what a sweep did. */
export function describeSweep(report: SweepReport): string {
  const { dryRun, stopped, items, failed } = report
  const { expired, unsaved, unsettled, orphaned, interrupted, forgotten, strays } = report
  const { neverReferenced, neverReferencedBytes } = report
  const isPlan = dryRun || stopped !== null
  const lines = items.map(({ kind, key, size }) => {
    if (kind === 'never_referenced') return `  ${DONE[kind]}: ${key} (${describeBytes(size ?? 0)})`
    return `  ${isPlan ? '[not done] ' : ''}${DONE[kind]}: ${key}`
  })
  const deleted = expired + unsaved + orphaned + strays
  const all = deleted + neverReferenced + unsettled + interrupted + forgotten
  if (all > items.length) lines.push(`  … and ${all - items.length} more`)
  if (all === 0) lines.push('Nothing to do.')
  else
    lines.push(
      `${isPlan ? 'Would delete' : 'Deleted'} ${deleted} (expired ${expired}, never saved ${unsaved}, orphaned ${orphaned}, ` +
        `stray ${strays}); new orphans ${unsettled}, interrupted steps ${interrupted}, ` +
        `forgotten ${forgotten}.`,
    )
  if (neverReferenced > 0)
    lines.push(
      `Kept ${neverReferenced} (${describeBytes(neverReferencedBytes)}): ${NEVER_REFERENCED}`,
    )
  if (failed > 0) lines.push(`${failed} could not be ended; the next sweep tries again.`)
  if (stopped !== null) lines.push(REASONS[stopped])
  return `${lines.join('\n')}\n`
}

/** Describes the differences between ledger and storage. */
export function describeCheck(report: CheckReport): string {
  const { stopped, files, damaged, strays, deleted, dangling, neverReferenced } = report
  const lines = [
    ...damaged.items.map(({ id, key }) => `  Bytes missing or damaged: ${key} (${id})`),
    ...strays.items.map(({ key }) => `  Stray object: ${key}`),
    ...dangling.items.map(
      ({ id, type, record, field }) =>
        `  ${type} ${record} (${field}) references a file that is gone: ${id}`,
    ),
    ...neverReferenced.items.map(
      ({ id, key, size }) =>
        `  Never referenced by a record: ${key} (${id}, ${describeBytes(size ?? 0)})`,
    ),
    `${files} files: ${damaged.count} damaged, ${strays.count} stray objects (${deleted} deleted), ` +
      `${dangling.count} references to files that are gone.`,
  ]
  const { count, bytes } = neverReferenced
  if (count > 0)
    lines.push(`${count} files (${describeBytes(bytes)}) were never referenced by a record.`)
  if (stopped !== null) lines.push(REASONS[stopped])
  return `${lines.join('\n')}\n`
}

function describeBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** Converts a report to JSON, with the names of the wire. */
export function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, member]) => {
    return [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), toSnakeCase(member)]
  })
  return Object.fromEntries(entries)
}

/** Describes the result of a reindex. */
export function describeRebuild({ records, added, missing }: RebuildReport): string {
  return `Read ${records} records: ${added} new references, ${missing} mentions of files that are gone.\n`
}
