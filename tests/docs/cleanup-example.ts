import type { MarkdownEditor } from '@quillgate/markdown-editor'
import type { Quillgate } from '@quillgate/server'
import { expect } from 'vitest'

type Actor = { readonly id: string; readonly username: string }

/** The exports of an example for cleanup on save. */
export interface Example {
  readonly gate: Quillgate
  readonly editor: MarkdownEditor
  createPost(title: string, body: string, actor: Actor): Promise<{ id: number }>
  savePost(id: number, body: string, actor: Actor): Promise<void>
  deletePost(id: number, actor: Actor): Promise<void>
}

/** Checks that an example orphans a medium when no post contains it any more. */
export async function takesCareOfMedia(example: Example): Promise<void> {
  const { gate, editor, createPost, savePost, deletePost } = example
  await gate.ready()
  const ada = { id: '1', username: 'ada' }
  const [first, second] = [await addMedium(editor), await addMedium(editor)]
  const from = await createPost('one', first.link + second.link, ada)
  const to = await createPost('two', 'no pictures', ada)
  await savePost(to.id, first.link, ada)
  await savePost(from.id, '', ada)
  expect([await stateOf(editor, first), await stateOf(editor, second)]).toEqual([
    'permanent',
    'orphaned',
  ])
  await deletePost(to.id, ada)
  expect(await stateOf(editor, first)).toBe('orphaned')
}

async function addMedium(editor: MarkdownEditor): Promise<{ id: string; link: string }> {
  const body = new FormData()
  body.set('file', new File(['Only text'], 'a.txt', { type: 'text/plain' }))
  const request = new Request(`https://example.com${editor.url('upload')}`, {
    method: 'POST',
    headers: { authorization: 'Bearer test' },
    body,
  })
  const native = { get: () => 'ada' }
  const { url } = (await (await editor.gate.fetch(request, { native })).json()) as { url: string }
  const { text } = await editor.finalize(`[a](${url})`, { owner: { id: '1' } })
  return { id: /m[0-9a-z]{26}/.exec(text)?.[0] ?? '', link: text }
}

async function stateOf(
  editor: MarkdownEditor,
  { id }: { id: string },
): Promise<string | undefined> {
  return (await editor.media.get(id))?.state
}
