import type { Database } from '@quillgate/server/database'
import { png, type TestEditor } from '../../editor-fixture.ts'
import { useEditors } from '../../use-editors.ts'

export const nothing = {
  ...{
    expired: 0,
    unsaved: 0,
    neverReferenced: 0,
    unsettled: 0,
    orphaned: 0,
    interrupted: 0,
    strays: 0,
    failed: 0,
  },
  forgotten: 0,
}

/** Stores bytes under a key without the ledger, as a killed process can leave them. */
export const write = (opened: TestEditor, key: string) =>
  opened.storage.write(key, ReadableStream.from([png()]), { type: 'image/png' })

export const rowId = (n: number): string => `m${String(n).padStart(26, '0')}`

/** Inserts ledger rows as uploads do, but stores no bytes. */
export async function addRows(
  database: Database,
  count: number,
  at: number,
  state = 'temporary',
  first = 0,
): Promise<void> {
  const executor = database.executor(database.kysely)
  for (let start = 0; start < count; start += 500) {
    const rows = Array.from({ length: Math.min(500, count - start) }, (_, n) => {
      const id = rowId(first + start + n)
      const checksum = state === 'uploading' ? 'NULL' : `'c0ffee'`
      return `('${id}', '${state}', 'user:ada', 'a.png', 'image/png', 3, ${checksum}, 'md-editor/tmp/${id}-a.png', ${at}, ${at}, 0)`
    })
    await executor.execute(
      `INSERT INTO quillgate_media (id, state, owner, name, type, size, checksum, temp_key, created_at, changed_at, writes)
       VALUES ${rows.join(', ')}`,
    )
  }
}

export async function change(
  database: Database,
  assignments: string,
  id: string,
  by = '=',
): Promise<void> {
  await database
    .executor(database.kysely)
    .execute(`UPDATE quillgate_media SET ${assignments} WHERE id ${by} '${id}'`)
}

/** Opens editors with `unsavedGrace`, which requires an application that tracks every text. */
export function useTrackingEditors(): ReturnType<typeof useEditors> {
  const { cleanups, open } = useEditors()
  return {
    cleanups,
    open: (settings, options) => open({ unsavedGrace: 7 * 86_400, ...settings }, options),
  }
}
