import { typeormCleanup } from '@quillgate/markdown-editor/orm/typeorm'
import { DataSource, EntitySchema } from 'typeorm'
import { describe, expect, it } from 'vitest'
import {
  declaredCleanupFields,
  MarkdownCleanupMixin,
} from '../../../src/orm/markdown-cleanup-mixin.ts'

const references = {
  set: async () => ({ added: [], removed: [], missing: [] }),
  settle: async () => [],
}

async function openSource(...targets: (new () => object)[]): Promise<DataSource> {
  const entities = targets.map(
    (target) =>
      new EntitySchema<{ id: number; body: string }>({
        name: target.name,
        target: target as new () => { id: number; body: string },
        columns: { id: { type: 'integer', primary: true }, body: { type: 'text' } },
      }),
  )
  return new DataSource({ type: 'better-sqlite3', database: ':memory:', entities }).initialize()
}

describe('MarkdownCleanupMixin', () => {
  it('declares null, which means every text field', () => {
    expect(declaredCleanupFields(MarkdownCleanupMixin(class {}))).toBeNull()
  })

  it('lets a class name its fields, and its subclasses inherit them', () => {
    class Post extends MarkdownCleanupMixin(class {}) {
      static override markdownCleanupFields = ['body']
    }
    class Draft extends Post {}
    expect(declaredCleanupFields(Draft)).toEqual(['body'])
  })

  it('keeps the members of the base class', () => {
    class Base {
      greet(): string {
        return 'hello'
      }
    }
    class Post extends MarkdownCleanupMixin(Base) {}
    expect(new Post().greet()).toBe('hello')
  })

  it('does not change other classes', () => {
    expect(declaredCleanupFields(class {})).toBeUndefined()
    expect(declaredCleanupFields('post')).toBeUndefined()
  })
})

describe('typeormCleanup (configuration)', () => {
  it('rejects a field that is not a column', async () => {
    class Post extends MarkdownCleanupMixin(class {}) {
      static override markdownCleanupFields = ['bdy']
    }
    const dataSource = await openSource(Post)
    expect(() => typeormCleanup({ references }, dataSource)).toThrow(
      'Post.markdownCleanupFields must contain only fields of Post (got "bdy")',
    )
    await dataSource.destroy()
  })

  it('rejects a data source without a tracked entity', async () => {
    class Plain {}
    const dataSource = await openSource(Plain)
    expect(() => typeormCleanup({ references }, dataSource)).toThrow('MarkdownCleanupMixin')
    await dataSource.destroy()
  })

  it('rejects a data source that is not initialized or of another kind', () => {
    const source = new DataSource({ type: 'better-sqlite3', database: ':memory:' })
    expect(() => typeormCleanup({ references }, source)).toThrow('initialized')
    const other = { options: { type: 'mongodb' } } as DataSource
    expect(() => typeormCleanup({ references }, other)).toThrow(
      'must be one of better-sqlite3, postgres',
    )
  })
})
