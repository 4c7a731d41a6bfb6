import 'reflect-metadata'
import { MarkdownCleanupMixin, typeormCleanup } from '@quillgate/markdown-editor/orm/typeorm'
import type { TestEngine } from '@quillgate/server/testing'
import type { EntityManager } from 'typeorm'
import * as typeorm from 'typeorm'
import { betterSqlite } from '../better-sqlite.ts'
import { type OrmFixture, type OrmSaves, ormTables } from '../suite/orm-fixture.ts'
import { optionsFor } from './fixture.ts'

class Post extends MarkdownCleanupMixin(class {}) {
  static override markdownCleanupFields = ['body', 'summary']
  declare id: number
  declare title: string
  declare topic: string
  declare body: string | null
  declare summary: string | null
  declare deletedAt: Date | null
}

/** An entity without declared fields, so that every text column is tracked. */
class Note extends MarkdownCleanupMixin(class {}) {
  declare postId: number
  declare language: string
  declare text: string
  declare remark: string
  declare size: number
}

/** A version of TypeORM. */
export type TypeormLibrary = Pick<typeof typeorm, 'DataSource' | 'EntitySchema'>

const entitiesOf = ({ EntitySchema }: TypeormLibrary) => [
  new EntitySchema<Post>({
    name: 'post',
    target: Post,
    columns: {
      id: { type: 'integer', primary: true, generated: true },
      title: { type: 'varchar' },
      topic: { type: 'varchar', default: '' },
      body: { type: 'text', nullable: true },
      summary: { type: 'text', nullable: true },
      deletedAt: {
        name: 'deleted_at',
        type: 'varchar',
        length: 40,
        deleteDate: true,
        nullable: true,
      },
    },
  }),
  new EntitySchema<Note>({
    name: 'note',
    target: Note,
    columns: {
      postId: { name: 'post_id', type: 'integer', primary: true },
      language: { type: 'varchar', primary: true },
      text: { type: 'text' },
      remark: { type: 'varchar', default: '' },
      size: { type: 'integer', default: 0 },
    },
  }),
]

export async function openFixture(
  engine: TestEngine,
  library: TypeormLibrary = typeorm,
): Promise<OrmFixture> {
  const { url, close } = await engine.open()
  const ownDatabase = engine.name === 'sqlite' ? betterSqlite(url) : null
  const options = { ...optionsFor(engine, url), entities: entitiesOf(library) }
  const dataSource = await new library.DataSource(options).initialize()
  for (const statement of ormTables(engine.name)) await dataSource.query(statement)
  return {
    database: ownDatabase ?? url,
    start(editor, options) {
      typeormCleanup(editor, dataSource, options)
      return savesOf(dataSource.manager)
    },
    async close() {
      await dataSource.destroy()
      await ownDatabase?.destroy()
      await close()
    },
  }
}

function savesOf(manager: EntityManager): OrmSaves {
  return {
    insertPost: async ({ deletedAt: _, ...values }) => (await manager.save(Post, { ...values })).id,
    updatePost: async (id, { deletedAt: _, ...values }) =>
      void (await manager.save(Post, { id, ...values })),
    upsertPost: async (values) => void (await manager.upsert(Post, values, ['title'])),
    async retitlePost(id, title) {
      const post = await manager.findOneOrFail(Post, {
        where: { id },
        select: { id: true, title: true },
      })
      post.title = title
      await manager.save(post)
    },
    softDeletePost: async (id) => void (await manager.softDelete(Post, { id })),
    updateTopic: async (topic, { deletedAt: _, ...values }) =>
      void (await manager.update(Post, { topic }, values)),
    async deletePost(id) {
      const post = await manager.findOneOrFail(Post, { where: { id }, withDeleted: true })
      await manager.remove(post)
    },
    deleteTopic: async (topic) => void (await manager.delete(Post, { topic })),
    findPost: (id) => manager.findOneBy(Post, { id }),
    insertNote: async (note) => void (await manager.insert(Note, note)),
    updateNote: async (key, values) => void (await manager.save(Note, { ...key, ...values })),
    async deleteNote(key) {
      await manager.remove(await manager.findOneByOrFail(Note, key))
    },
    transaction: (work) => manager.transaction((inner) => work(savesOf(inner))),
  }
}
