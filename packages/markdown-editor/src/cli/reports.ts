import { snakeCase } from '@quillgate/server/core'

const MISMATCH =
  'Nothing is deleted, because the storage does not contain the marker of this database. Check that the storage and the ' +
  'database belong together. If they do, restore quillgate-installation.txt in the storage.'
const NEVER_REFERENCED =
  'No record has ever referenced these files, so they are kept. The setting unsavedGrace deletes them. Before you use ' +
  'it, track every text with references.set or the hooks of an ORM. Then run "markdown-editor reindex", which reads the ' +
  'texts that were saved earlier.'

/** Formats a report for a terminal. */
export function describeReport(report: object): string {
  const entries = Object.entries(toSnakeCase(report) as Record<string, unknown>)
  const lines = entries.flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return [`${name}: ${value}`]
    const { count, items = value } = value as { count?: number; items?: readonly object[] }
    const listed = (items as readonly object[]).map((item) => `  ${describeItem(item)}`)
    return [`${name}: ${count ?? listed.length}`, ...listed]
  })
  return `${[...lines, ...adviceOn(report)].join('\n')}\n`
}

function describeItem(item: object): string {
  const members = Object.entries(item).filter(([, value]) => value !== null && value !== '')
  return members.map(([name, value]) => `${name} ${value}`).join(', ')
}

function adviceOn(report: { readonly stopped?: unknown; readonly neverReferenced?: unknown }) {
  const { stopped, neverReferenced } = report
  const unreferenced = Number(Object(neverReferenced).count ?? neverReferenced ?? 0)
  return [
    ...(unreferenced > 0 ? [NEVER_REFERENCED] : []),
    ...(stopped === 'installation_mismatch' ? [MISMATCH] : []),
  ]
}

/** Converts the names in a report to snake case, for its JSON form. */
export function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, member]) => {
    return [snakeCase(name), toSnakeCase(member)]
  })
  return Object.fromEntries(entries)
}
