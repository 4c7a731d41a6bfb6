import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { constructs, removals } from '../../../tests/docs/markdown-syntax/constructs.ts'
import { DefaultRenderer } from '../src/index.ts'
import { commonmark } from './conformance/examples.ts'

// The renderer's version, and the hash of all that it gave for these texts when the version was raised.
const known = {
  version: '1',
  html: '17b68a010dfa2311ccf896f9c09670fc41a1413bd2a6625d1e66e4fbe968b8fa',
}

const renderer = new DefaultRenderer()
const guide = [...constructs.flatMap(({ examples }) => examples), ...removals]
const texts = [...commonmark, ...guide].map(({ markdown }) => markdown)

it('is raised when a text gives other HTML: applications keep HTML by it', () => {
  const html = JSON.stringify(texts.map((text) => [text, renderer.render(text)]))
  const current = {
    version: renderer.version.split('-')[0],
    html: createHash('sha256').update(html).digest('hex'),
  }
  const help =
    'Has the HTML of a text changed? Then raise rendererVersion in src/renderer/version.ts, once for each release, ' +
    'and take both values below into `known`. If only examples were added or changed, take the hash alone.'
  expect(current, help).toEqual(known)
})
