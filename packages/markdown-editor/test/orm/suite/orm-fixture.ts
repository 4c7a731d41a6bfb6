import type { Dialect, openDatabase } from '@quillgate/server/database'
import type { MediaReferences } from '../../../src/markdown-editor.ts'
import type { CleanupOptions } from '../../../src/orm/record-saves.ts'

/** A record of the table `post`; its key `id` comes from the database. */
export interface OrmPost {
  /** Unique. Not tracked. */
  readonly title: string
  /** Not tracked. */
  readonly topic: string
  /** Tracked. */
  readonly body: string | null
  /** Tracked. */
  readonly summary: string | null
  /** When it was removed softly, where the library or the application does that. Not tracked. */
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

/** How a library writes records, each as its users would write it. */
export interface OrmSaves {
  /** @returns the key */
  insertPost(values: Partial<OrmPost> & Pick<OrmPost, 'title'>): Promise<number>
  /** Writes the given fields of one record, and no others. */
  updatePost(id: number, values: Partial<OrmPost>): Promise<void>
  /** Writes the given fields of all records of a topic; hooks refuse it with `bulk_write_not_tracked`. */
  updateTopic(topic: string, values: Partial<OrmPost>): Promise<void>
  /** Updates the record with this title, or inserts one; hooks refuse it with `bulk_write_not_tracked`. */
  upsertPost(values: Pick<OrmPost, 'title' | 'body'>): Promise<void>
  /** Loads a record with its key and title only, changes the title and saves it. */
  retitlePost(id: number, title: string): Promise<void>
  /** Sets `deletedAt`, by the library's own soft delete where it has one. */
  softDeletePost(id: number): Promise<void>
  deletePost(id: number): Promise<void>
  /** Deletes all records of a topic; hooks refuse it with `bulk_write_not_tracked`. */
  deleteTopic(topic: string): Promise<void>
  findPost(id: number): Promise<OrmPost | null>
  insertNote(note: OrmNote): Promise<void>
  updateNote(key: Pick<OrmNote, 'postId' | 'language'>, values: Partial<OrmNote>): Promise<void>
  deleteNote(key: Pick<OrmNote, 'postId' | 'language'>): Promise<void>
  /** Commits, or rolls back when `work` rejects. Within a transaction: a nested one, by a savepoint. */
  transaction(work: (saves: OrmSaves) => Promise<void>): Promise<void>
}

/** A library under test, on a database of its own with the tables of {@link ormTables}. */
export interface OrmFixture {
  /** The database of the library, for the editor. */
  readonly database: Parameters<typeof openDatabase>[0]
  /** Starts tracking: `body` and `summary` of `post`; every text field of `note`, which are `text` and `remark`. */
  start(editor: { readonly references: MediaReferences }, options: CleanupOptions): OrmSaves
  close(): Promise<void>
}

/** The statements that create the tables of the suite. */
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
