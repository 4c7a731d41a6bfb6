import { openAsBlob } from 'node:fs'
import { basename, join } from 'node:path'
import { extractMediaUrls, type MarkdownEditor } from '@quillgate/markdown-editor'
import type { User } from './application.ts'

/** Stores the files of one text in the editor, and returns the text with their new URLs. */
export async function importUploads(
  editor: MarkdownEditor,
  text: string,
  owner: User,
  folder = './uploads', // multer's `dest`
): Promise<string> {
  let changed = text
  for (const url of extractMediaUrls(text)) {
    if (!url.startsWith('/uploads/')) continue
    const name = basename(decodeURIComponent(url))
    const file = new File([await openAsBlob(join(folder, name))], name)
    const added = await editor.media.add(file, { owner })
    changed = changed.replaceAll(url, added.url)
  }
  return (await editor.finalize(changed, { owner })).text
}
