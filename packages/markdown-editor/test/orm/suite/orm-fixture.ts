import type { Dialect, openDatabase } from '@quillgate/server/database'
import type { MediaReferences } from '../../../src/markdown-editor.ts'
import type { CleanupOptions } from '../../../src/orm/record-saves.ts'

/** A record of the table `post`. The database generates its key `id`. */
export interface OrmPost {
  /** Unique. Not tracked. */
  readonly title: string
  /** Not tracked. */
  readonly topic: string
  /** Tracked. */
  readonly body: string | null
  /** Tracked. */
  readonly summary: string | null
  /** The time of a soft delete by the library or the application. Not tracked. */
  readonly deletedAt?: string | Date | null
}

/** A record of the table `note`, whose key has two columns. */
export interface OrmNote {
  readonly postId: number
  readonly language: string
  /** Tracked. */
  readonly text: string
  /** Tracked. */
  readonly remark: string
}

/** The writes of a library, implemented in the way that its users write them. */
export interface OrmSaves {
  /** @returns the key */
  insertPost(values: Partial<OrmPost> & Pick<OrmPost, 'title'>): Promise<number>
  /** Writes the given fields of one record, and no others. */
  updatePost(id: number, values: Partial<OrmPost>): Promise<void>
  /** Updates all records of a topic. Hooks can reject it with `bulk_write_not_tracked`. */
  updateTopic(topic: string, values: Partial<OrmPost>): Promise<void>
  /** Updates the record with the title, or inserts one. Hooks can reject it as a bulk write. */
  upsertPost(values: Pick<OrmPost, 'title' | 'body'>): Promise<void>
  /** Loads a record with its key and title only, changes the title and saves it. */
  retitlePost(id: number, title: string): Promise<void>
  /** Sets `deletedAt`, with the soft delete of the library if it has one. */
  softDeletePost(id: number): Promise<void>
  deletePost(id: number): Promise<void>
  /** Deletes all records of a topic. Hooks can reject it as a bulk write. */
  deleteTopic(topic: string): Promise<void>
  findPost(id: number): Promise<OrmPost | null>
  insertNote(note: OrmNote): Promise<void>
  updateNote(key: Pick<OrmNote, 'postId' | 'language'>, values: Partial<OrmNote>): Promise<void>
  deleteNote(key: Pick<OrmNote, 'postId' | 'language'>): Promise<void>
  /** Commits, or rolls back if `work` rejects. Within a transaction, uses a savepoint. */
  transaction(work: (saves: OrmSaves) => Promise<void>): Promise<void>
}

/** A library under test, on a separate database with the tables of {@link ormTables}. */
export interface OrmFixture {
  /** The database of the library, for the editor. */
  readonly database: Parameters<typeof openDatabase>[0]
  /** Starts to track the fields `body` and `summary` of `post`, and all text fields of `note`. */
  start(editor: { readonly references: MediaReferences }, options: CleanupOptions): OrmSaves
  close(): Promise<void>
}

export function ormTables(dialect: Dialect): readonly string[] {
  const suffix = dialect === 'mariadb' ? ' ENGINE=InnoDB DEFAULT CHARSET=utf8mb4' : ''
  return [
    `CREATE TABLE post (id ${GENERATED_KEY[dialect]}, title varchar(200) NOT NULL UNIQUE,
      topic varchar(40) NOT NULL DEFAULT '', body ${LONG_TEXT[dialect]}, summary ${LONG_TEXT[dialect]}, deleted_at varchar(40))${suffix}`,
    `CREATE TABLE note (post_id integer NOT NULL, language varchar(8) NOT NULL, text ${LONG_TEXT[dialect]} NOT NULL,
      remark varchar(400) NOT NULL DEFAULT '', size integer NOT NULL DEFAULT 0, PRIMARY KEY (post_id, language))${suffix}`,
  ]
}

const GENERATED_KEY: Readonly<Record<Dialect, string>> = {
  sqlite: 'integer PRIMARY KEY AUTOINCREMENT',
  postgres: 'serial PRIMARY KEY',
  mariadb: 'integer NOT NULL AUTO_INCREMENT PRIMARY KEY',
}
const LONG_TEXT: Readonly<Record<Dialect, string>> = {
  sqlite: 'text',
  postgres: 'text',
  mariadb: 'mediumtext',
}
