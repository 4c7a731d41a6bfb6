import type { MarkdownEditor } from '@quillgate/markdown-editor'
import { expect } from 'vitest'

/** What an example of cleanup on save exports. */
export interface Example {
  readonly editor: MarkdownEditor
  savePost(title: string, body: string): Promise<{ id: number } | undefined>
  movePictures(from: number, to: number, body: string): Promise<void>
  deletePosts(title: string): Promise<unknown>
}

/** Does with an example what a reader of the guide would. */
export async function takesCareOfMedia({
  editor,
  savePost,
  movePictures,
  deletePosts,
}: Example): Promise<void> {
  await editor.ready()
  const [first, second] = [await addMedium(editor), await addMedium(editor)]
  const from = await savePost('one', first.link + second.link)
  const to = await savePost('two', 'no pictures')
  await movePictures(from?.id ?? 0, to?.id ?? 0, first.link)
  expect([await stateOf(editor, first), await stateOf(editor, second)]).toEqual([
    'permanent',
    'orphaned',
  ])
  await deletePosts('two')
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
  const { url } = (await (await editor.fetch(request, { native })).json()) as { url: string }
  const { text } = await editor.finalize(`[a](${url})`, { owner: { id: '1' } })
  return { id: /m[0-9a-z]{26}/.exec(text)?.[0] ?? '', link: text }
}

async function stateOf(
  editor: MarkdownEditor,
  { id }: { id: string },
): Promise<string | undefined> {
  return (await editor.media.get(id))?.state
}
