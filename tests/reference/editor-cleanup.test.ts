import { readFileSync } from 'node:fs'
import { MarkdownCleanupMixin, typeormCleanup } from '@quillgate/markdown-editor/orm/typeorm'
import { sqliteEngine } from '@quillgate/server/testing'
import { DataSource, EntitySchema } from 'typeorm'
import { afterEach, describe, expect, it } from 'vitest'
import {
  openTypeorm,
  Post,
  type TypeormFixture,
} from '../../packages/markdown-editor/test/orm/typeorm/fixture.ts'
import { missingReasons } from './differences.ts'
import { openWorld } from './media-world.ts'

interface CleanupCase {
  readonly id: string
  readonly input: {
    readonly storedBefore: readonly string[]
    readonly settings: Readonly<Record<string, unknown>>
    readonly args?: readonly string[]
    readonly ageSeconds?: Readonly<Record<string, number>>
    readonly texts?: readonly string[]
  }
  readonly expected: { readonly fileExists?: boolean; readonly filesRemaining?: readonly string[] }
  readonly want?: { readonly fileExists?: boolean; readonly filesRemaining?: readonly string[] }
}

const file = new URL('cases/editor-cleanup.json', import.meta.url)
const cases = JSON.parse(readFileSync(file, 'utf8')) as CleanupCase[]
const withPrefix = (prefix: string) =>
  cases.filter(({ id }) => id.startsWith(prefix)).map((test) => [test.id, test] as const)

/**
 * The actions of each case of the mixin. The file of cases describes them in words. `a` is Markdown
 * that contains the URL of the file.
 */
const actions: Readonly<Record<string, (fixture: TypeormFixture, a: string) => Promise<unknown>>> =
  {
    async 'mix-update-removes'({ posts }, a) {
      const post = await posts.save({ title: 't', body: a })
      await posts.save({ ...post, body: 'text' })
    },
    async 'mix-unchanged'({ posts }, a) {
      const post = await posts.save({ title: 't', body: a })
      await posts.save(post)
    },
    'mix-new-record': ({ posts }) => posts.save({ title: 't', body: 'text' }),
    async 'mix-reloaded'({ posts }, a) {
      await posts.save({ title: 't', body: a })
      const loaded = await posts.findOneByOrFail({ title: 't' })
      loaded.body = 'text'
      await posts.save(loaded)
    },
    async 'mix-second-save'({ posts }, a) {
      const post: Post = await posts.save({ title: 't', body: 'text' })
      for (const body of [a, `${a} more`]) await posts.save(Object.assign(post, { body }))
    },
    async 'mix-moved-to-other-field'({ posts }, a) {
      const post = await posts.save({ title: 't', body: a })
      await posts.save({ ...post, body: '', summary: a })
    },
    async 'mix-other-field-still'({ posts }, a) {
      const post = await posts.save({ title: 't', body: a, summary: a })
      await posts.save({ ...post, body: '' })
    },
    async 'mix-update-fields'({ posts }, a) {
      const { id } = await posts.save({ title: 't', body: a })
      await posts.save({ id, title: 'new' })
    },
    async 'mix-rollback'({ posts, dataSource }, a) {
      const { id } = await posts.save({ title: 't', body: a })
      const saved = dataSource.transaction(async (manager) => {
        await manager.save(Post, { id, body: 'text' })
        throw new Error('rollback')
      })
      await expect(saved).rejects.toThrow('rollback')
    },
    async 'mix-unknown-field'({ editor }) {
      class Wrong extends MarkdownCleanupMixin(class {}) {
        static override markdownCleanupFields = ['nonsense']
      }
      const dataSource = await sourceOf(Wrong)
      expect(() => typeormCleanup(editor, dataSource)).toThrow('nonsense')
      await dataSource.destroy()
    },
    async 'mix-no-text-fields'({ editor }) {
      class Counter extends MarkdownCleanupMixin(class {}) {}
      const dataSource = await sourceOf(Counter)
      typeormCleanup(editor, dataSource)
      await dataSource.getRepository(Counter).save({ id: 1 })
      await dataSource.destroy()
    },
    async 'mix-null'({ posts }, a) {
      const { id } = await posts.save({ title: 't', body: a })
      await posts.save({ id, body: null })
    },
    async 'mix-record-deleted'({ posts }, a) {
      await posts.remove(await posts.save({ title: 't', body: a }))
    },
    async 'mix-positional-args'({ posts }, a) {
      const post = await posts.save({ title: 't', body: a })
      await posts.save(post, { reload: false })
    },
    async 'mix-constructed-with-pk'({ posts }, a) {
      const { id } = await posts.save({ title: 't', body: a })
      await posts.save(Object.assign(new Post(), { id, title: 't', body: 'text' }))
    },
    async 'mix-deferred-two'({ posts }, a) {
      const { id } = await posts.save({ title: 't', body: a, summary: a })
      const partial = await posts.findOneOrFail({
        where: { id },
        select: { id: true, title: true },
      })
      await posts.save(Object.assign(partial, { title: 'new' }))
    },
    async 'mix-bad-url-save'({ posts }, a) {
      const { id } = await posts.save({ title: 't', body: `[x](http://[::1/a) ${a}` })
      await posts.save({ id, body: '[x](http://[::1/a)' })
    },
  }

// Cases that differ. The reasons are in differences.md.
const decided: Readonly<Record<string, boolean>> = {
  'mix-record-deleted': false,
  'mix-constructed-with-pk': false,
}
const decidedFiles: Readonly<Record<string, readonly string[]>> = { 'cmd-bad-url-text': [] }

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

describe('reference: MarkdownCleanupMixin', () => {
  it.each(withPrefix('mix-'))('%s', async (id, test) => {
    const fixture = await openTypeorm(sqliteEngine())
    ends.push(fixture.close)
    const { url, key } = await fixture.addPermanent()
    const action = actions[id]
    expect(action, 'what the case does').toBeDefined()
    await action?.(fixture, `![a](${url})`)
    const exists = (await fixture.storage.stat(key)) !== null
    expect(exists).toBe(decided[id] ?? test.want?.fileExists ?? test.expected.fileExists)
  })
})

describe('reference: cleanup', () => {
  it('covers every case, and differs only for a documented reason', () => {
    const ids = cases.map(({ id }) => id)
    expect(ids.filter((id) => !/^(?:mix|cmd)-/.test(id))).toEqual([])
    const differences = [...Object.keys(decided), ...Object.keys(decidedFiles)]
    expect(differences.filter((id) => !ids.includes(id))).toEqual([])
    expect(missingReasons(differences)).toEqual([])
  })
})

describe('reference: sweep', () => {
  it.each(withPrefix('cmd-'))('%s', async (id, { input, expected, want }) => {
    const { storedBefore, settings, args = [], ageSeconds = {}, texts = [] } = input
    const files = Object.fromEntries(storedBefore.map((path) => [path, 'x']))
    const world = await openWorld(files, settings, { ageSeconds })
    ends.push(world.close)
    const records = texts.map((text, index) => ({
      type: 'text',
      id: index,
      texts: world.toOurs(text),
    }))
    // A rebuild without any records would not allow deletions, so there is an empty record.
    const empty = { type: 'text', id: 'empty', texts: [''] }
    await world.editor.references.rebuild([...records, empty])
    await world.editor.sweep({ dryRun: args.includes('--dry-run') })
    const remaining = decidedFiles[id] ?? want?.filesRemaining ?? expected.filesRemaining ?? []
    expect(await world.files()).toEqual(remaining.map((path) => `${path} x`).sort())
  })
})

/** Creates a data source in memory with one entity that has only an id. */
function sourceOf(target: new () => object): Promise<DataSource> {
  const entity = new EntitySchema<{ id: number }>({
    name: target.name,
    target: target as new () => { id: number },
    columns: { id: { type: 'integer', primary: true } },
  })
  return new DataSource({
    type: 'better-sqlite3',
    database: ':memory:',
    entities: [entity],
    synchronize: true,
  }).initialize()
}
