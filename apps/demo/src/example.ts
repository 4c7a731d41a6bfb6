import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PostDraft } from './posts.ts'

/** A post that shows all supported Markdown. */
export const examplePost: PostDraft = {
  title: 'What you can write',
  body: readFileSync(join(import.meta.dirname, '..', 'example.md'), 'utf8'),
}
