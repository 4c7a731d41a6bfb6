// Updates the tables in apps/docs/errors.md from the error tables of the packages:
// `npm run docs:errors`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EDITOR_ERRORS } from '../packages/markdown-editor/src/errors.ts'
import { type ErrorTable, SERVER_ERRORS } from '../packages/server/src/core/error-codes.ts'
import { STORAGE_ERRORS } from '../packages/storage/src/storage-errors.ts'
import { DEVICE_ERRORS } from '../packages/trusted-devices/src/errors.ts'

const TABLES: Readonly<Record<string, ErrorTable>> = {
  server: SERVER_ERRORS,
  'markdown-editor': EDITOR_ERRORS,
  storage: STORAGE_ERRORS,
  'trusted-devices': DEVICE_ERRORS,
}

export const ERROR_GUIDE: string = join(import.meta.dirname, '..', 'apps', 'docs', 'errors.md')

/** Each table is between `<!-- errors: name -->` and `<!-- end -->`. */
export function withErrorTables(guide: string): string {
  return guide.replace(
    /(<!-- errors: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, start: string, name: string, end: string) => `${start}${tableOf(TABLES[name] ?? {})}${end}`,
  )
}

function tableOf(table: ErrorTable): string {
  const rows = Object.entries(table)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { status, when }]) => `| \`${code}\` | ${status} | ${when} |`)
  return `\n| Code | Status | When |\n|---|---|---|\n${rows.join('\n')}\n\n`
}

if (import.meta.main) writeFileSync(ERROR_GUIDE, withErrorTables(readFileSync(ERROR_GUIDE, 'utf8')))
