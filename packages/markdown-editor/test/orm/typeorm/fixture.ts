import type { SettingsInput, Storage } from '@quillgate/markdown-editor'
import { MarkdownCleanupMixin, typeormCleanup } from '@quillgate/markdown-editor/orm/typeorm'
import type { FakeClock, TestEngine } from '@quillgate/server/testing'
import {
  BaseEntity,
  Column,
  DataSource,
  type DataSourceOptions,
  DeleteDateColumn,
  Entity,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  type Repository,
} from 'typeorm'
import type { TestMarkdownEditor } from '../../create-editor.ts'
import { keyOfUrl, openEditor, type TestUser } from '../../editor-fixture.ts'
import { betterSqlite, pathOf } from '../better-sqlite.ts'

export class Post extends MarkdownCleanupMixin(BaseEntity) {
  static override markdownCleanupFields = ['body', 'summary']
  declare id: number
  declare title: string
  declare body: string | null
  declare summary: string | null
  declare deletedAt: Date | null
}

export class Translation extends MarkdownCleanupMixin(class {}) {
  declare postId: number
  declare language: string
  declare text: string
  declare note: string
  declare size: number
}

/** An entity that is not tracked. */
export class Note {
  declare id: number
  declare text: string
}

// Calls the decorators as functions, so that this file needs no compiler for decorators.
const decorate = (target: object, columns: Record<string, PropertyDecorator>): void => {
  for (const [name, decorator] of Object.entries(columns)) decorator(target, name)
}
Entity('post')(Post)
decorate(Post.prototype, {
  id: PrimaryGeneratedColumn({ type: 'integer' }),
  title: Column('varchar', { length: 400, unique: true }),
  body: Column('text', { nullable: true }),
  summary: Column('text', { nullable: true }),
  deletedAt: DeleteDateColumn({ type: 'varchar', length: 40 }),
})
Entity('translation')(Translation)
decorate(Translation.prototype, {
  postId: PrimaryColumn('integer'),
  language: PrimaryColumn('varchar', { length: 8 }),
  text: Column('text'),
  note: Column('varchar', { length: 400, default: '' }),
  size: Column('integer', { default: 0 }),
})

Entity('note')(Note)
decorate(Note.prototype, { id: PrimaryGeneratedColumn({ type: 'integer' }), text: Column('text') })

export interface TypeormFixture {
  readonly editor: TestMarkdownEditor<TestUser>
  readonly clock: FakeClock
  get(path: string): Promise<Response>
  readonly storage: Storage
  readonly dataSource: DataSource
  readonly posts: Repository<Post>
  addPermanent(): Promise<{ url: string; id: string; key: string }>
  storedKeys(): Promise<string[]>
  close(): Promise<void>
}

/** Opens an editor and TypeORM on the same database, over separate connections. */
export async function openTypeorm(
  engine: TestEngine,
  settings: SettingsInput = {},
): Promise<TypeormFixture> {
  const { url, close } = await engine.open()
  const editorDatabase = engine.name === 'sqlite' ? betterSqlite(url) : null
  const opened = await openEditor(settings, { database: editorDatabase ?? url })
  const entities = [Post, Translation, Note]
  const dataSource = new DataSource({ ...optionsFor(engine, url), entities, synchronize: true })
  await dataSource.initialize()
  typeormCleanup(opened.editor, dataSource)
  return {
    ...{
      editor: opened.editor,
      storage: opened.storage,
      storedKeys: opened.storedKeys,
      dataSource,
    },
    ...{ clock: opened.clock, get: opened.get },
    posts: dataSource.getRepository(Post),
    async addPermanent() {
      const added = await opened.addPermanent()
      return { ...added, key: keyOfUrl(added.url) }
    },
    async close() {
      await dataSource.destroy()
      await opened.close()
      await editorDatabase?.destroy()
      await close()
    },
  }
}

export function optionsFor({ name }: TestEngine, url: string): DataSourceOptions {
  if (name === 'sqlite') return { type: 'better-sqlite3', database: pathOf(url) }
  return name === 'postgres' ? { type: 'postgres', url } : { type: 'mariadb', url }
}
