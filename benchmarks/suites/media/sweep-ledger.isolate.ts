import { createMarkdownEditor } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { openDatabase } from '@quillgate/server/database'
import { localFiles } from '@quillgate/storage'
import { folders, mediumOf, OBJECT_SIZE, T0 } from './generated-media.ts'

/** A ledger, and the folder with the marker of its installation. */
export interface Ledger {
  readonly url: string
  readonly directory: string
}

const ROWS_PER_STATEMENT = 1000

/** Creates the tables if necessary. Writes a range of files and their references. */
export async function fill({ url, directory }: Ledger, from: number, to: number): Promise<void> {
  const gate = createQuillgate({
    secret: 'a secret of thirty-two bytes, no less',
    database: url,
  })
  createMarkdownEditor(gate, {
    storage: localFiles(directory),
    authenticate: () => null,
    settings: { ...folders, sweepInterval: null },
  })
  await gate.ready()
  await gate.close()
  const database = openDatabase(url)
  const { execute } = database.executor(database.kysely)
  try {
    for (let start = from; start < to; start += ROWS_PER_STATEMENT) {
      const rows = Array.from(
        { length: Math.min(ROWS_PER_STATEMENT, to - start) },
        (_, row) => start + row,
      )
      await execute(
        `INSERT INTO quillgate_media (${COLUMNS}) VALUES ${rows.map(mediaRow).join(', ')}`,
        [],
      )
      const references = rows.flatMap(referenceRow)
      await execute(
        `INSERT INTO quillgate_media_reference (media_id, record_type, record_id, field, by_owner) VALUES ${references.join(', ')}`,
        [],
      )
    }
    // After this many changes, PostgreSQL runs ANALYZE automatically, but only some time later.
    if (database.dialect === 'postgres') await execute('ANALYZE', [])
  } finally {
    await database.close()
  }
}

const COLUMNS = `id, state, owner, name, type, size, checksum, temp_key, permanent_key, created_at, changed_at,
  finalized_at, referenced_at, orphaned_at, writes`

function mediaRow(index: number): string {
  const { id, state, tempKey, key } = mediumOf(index)
  const at = timeOf(index)
  const facts = `'user:${index % 1000}', 'photo.png', 'image/png', ${OBJECT_SIZE}, '${'0'.repeat(64)}'`
  const finalized =
    key === null ? 'NULL, NULL, NULL' : `${at}, ${at}, ${state === 'orphaned' ? at : 'NULL'}`
  return `('${id}', '${state}', ${facts}, '${tempKey}', ${key === null ? 'NULL' : `'${key}'`}, ${at}, ${at}, ${finalized}, 0)`
}

function referenceRow(index: number): string[] {
  const { id, state } = mediumOf(index)
  return state === 'permanent' ? [`('${id}', 'post', '${index}', 'body', TRUE)`] : []
}

/** Ten files are uploaded in the same millisecond. */
function timeOf(index: number): number {
  return T0 + Math.floor(index / 10)
}
