import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PostDraft } from './posts.ts'

/** A text with everything that can be written, for those who want to look around. */
export const examplePost: PostDraft = {
  title: 'What you can write',
  body: readFileSync(join(import.meta.dirname, '..', 'example.md'), 'utf8'),
}
