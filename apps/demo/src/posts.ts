import { randomUUID } from 'node:crypto'
import type { MarkdownEditor, RecordEntry } from '@quillgate/markdown-editor'
import { QuillgateError } from '@quillgate/server/core'
import type { Kysely } from 'kysely'
import type { Account } from './accounts.ts'
import type { DemoDatabase, DemoTables } from './database.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const isPostId = (id: string): boolean => UUID.test(id)

export interface PostDraft {
  readonly title: string
  readonly body: string
}

export type PostSummary = Omit<Post, 'body'>

export interface Post extends PostDraft {
  readonly id: string
  readonly authorId: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** A saved post, and the media URLs in its text whose files no longer exist. */
export interface SavedPost {
  readonly post: Post
  readonly missing: readonly string[]
}

/**
 * Stores posts. Saving a post has three steps. The editor finalizes the text. One transaction
 * writes the post and its references. Files without references are deleted after `orphanGrace`.
 */
export class PostStore {
  readonly #database: DemoDatabase
  readonly #editor: MarkdownEditor<Account>

  constructor(database: DemoDatabase, editor: MarkdownEditor<Account>) {
    this.#database = database
    this.#editor = editor
  }

  /** Returns the 100 newest posts, newest first, without their texts. */
  async list(): Promise<PostSummary[]> {
    const rows = await this.#database.kysely
      .selectFrom('demo_post')
      .select(['id', 'author_id', 'title', 'created_at', 'updated_at'])
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(100)
      .execute()
    return rows.map(toSummary)
  }

  async get(id: string): Promise<Post | null> {
    if (!isPostId(id)) return null
    const row = await this.#database.kysely
      .selectFrom('demo_post')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    return row ? toPost(row) : null
  }

  async find(id: string): Promise<Post> {
    const post = await this.get(id)
    if (!post) throw postNotFound()
    return post
  }

  async findOwn(id: string, user: Account): Promise<Post> {
    const post = await this.find(id)
    if (post.authorId !== user.id)
      throw new QuillgateError('not_author', 403, 'Only the author of a post can change it.')
    return post
  }

  async create(author: Account, draft: PostDraft): Promise<SavedPost> {
    const now = Date.now()
    const post = { ...draft, id: randomUUID(), authorId: author.id, createdAt: now, updatedAt: now }
    return this.#save(author, post, async (trx, row) => {
      await trx.insertInto('demo_post').values(row).execute()
      return true
    })
  }

  /**
   * Saves a new title and text of a post. Throws 404 `post_not_found` if the post was deleted in
   * the meantime.
   *
   * @param version the `updatedAt` of the version that was edited. If a newer version has another
   * title or text, throws 409 `post_changed`. Without `version`, replaces every version.
   */
  async update(
    author: Account,
    post: Post,
    draft: PostDraft,
    version?: number,
  ): Promise<SavedPost> {
    const updatedAt = Math.max(Date.now(), post.updatedAt + 1)
    return this.#save(author, { ...post, ...draft, updatedAt }, async (trx, row) => {
      let query = trx.updateTable('demo_post').set(row).where('id', '=', post.id)
      if (version !== undefined) query = query.where('updated_at', '=', version)
      const { numUpdatedRows } = await query.executeTakeFirstOrThrow()
      if (numUpdatedRows > 0n) return true
      const found = await trx
        .selectFrom('demo_post')
        .selectAll()
        .where('id', '=', post.id)
        .executeTakeFirst()
      if (!found) throw postNotFound()
      // If the stored text is the same, the form was sent twice, for example after a lost response.
      if (found.title !== row.title || found.body !== row.body) throw postChanged()
      return false
    })
  }

  /**
   * Deletes a post. Also deletes the media that only this post references.
   *
   * @param version the `updatedAt` of the version that the author saw. If there is a newer version,
   * throws 409 `post_changed`. Without `version`, deletes every version.
   */
  async remove(author: Account, post: Post, version?: number): Promise<void> {
    const { removed } = await this.#database.transaction(async (trx) => {
      let query = trx.deleteFrom('demo_post').where('id', '=', post.id)
      if (version !== undefined) query = query.where('updated_at', '=', version)
      const { numDeletedRows } = await query.executeTakeFirstOrThrow()
      // If another request has deleted the post, the deletion succeeds.
      if (numDeletedRows === 0n && (await this.#exists(trx, post.id))) throw postChanged()
      const tx = this.#database.executor(trx)
      return this.#editor.references.set(
        { type: 'post', id: post.id },
        { body: null },
        { tx, actor: author },
      )
    })
    await this.#editor.references.settle(removed, { actor: author })
  }

  async #exists(trx: Kysely<DemoTables>, id: string): Promise<boolean> {
    return (
      (await trx.selectFrom('demo_post').select('id').where('id', '=', id).executeTakeFirst()) !==
      undefined
    )
  }

  /**
   * @param write writes the row. Returns false if the stored post already has this title and text.
   */
  async #save(
    author: Account,
    wanted: Post,
    write: (trx: Kysely<DemoTables>, row: DemoTables['demo_post']) => Promise<boolean>,
  ): Promise<SavedPost> {
    // With JavaScript, the browser has already finalized the text, and this call changes nothing.
    const { text, missing } = await this.#editor.finalize(wanted.body, { owner: author })
    const post = { ...wanted, body: text }
    const removed = await this.#database.transaction(async (trx) => {
      // A row that was not written is not locked. Another request may be changing its references.
      if (!(await write(trx, toRow(post)))) return []
      const tx = this.#database.executor(trx)
      const set = await this.#editor.references.set(
        { type: 'post', id: post.id },
        { body: text },
        { tx, actor: author },
      )
      return set.removed
    })
    await this.#editor.references.settle(removed, { actor: author })
    return { post, missing }
  }
}

/** Yields every post as a record with its texts, for `markdown-editor reindex`. */
export async function* postRecords({ kysely }: DemoDatabase): AsyncGenerator<RecordEntry> {
  const page = 100
  let last = ''
  for (;;) {
    const rows = await kysely
      .selectFrom('demo_post')
      .select(['id', 'author_id', 'body'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(page)
      .execute()
    for (const { id, author_id, body } of rows)
      yield { type: 'post', id, texts: { body }, actor: { id: author_id } }
    last = rows.at(-1)?.id ?? ''
    if (rows.length < page) return
  }
}

export const postNotFound = (): QuillgateError =>
  new QuillgateError('post_not_found', 404, 'There is no post at this address.')

const postChanged = (): QuillgateError =>
  new QuillgateError('post_changed', 409, 'This post was saved after you opened it. Load it again.')

const toRow = (post: Post): DemoTables['demo_post'] => ({
  id: post.id,
  author_id: post.authorId,
  title: post.title,
  body: post.body,
  created_at: post.createdAt,
  updated_at: post.updatedAt,
})

const toPost = (row: DemoTables['demo_post']): Post => ({ ...toSummary(row), body: row.body })

const toSummary = (row: Omit<DemoTables['demo_post'], 'body'>): PostSummary => ({
  id: row.id,
  authorId: row.author_id,
  title: row.title,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
})
