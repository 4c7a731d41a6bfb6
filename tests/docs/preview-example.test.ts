import { DefaultRenderer } from '@quillgate/markdown'
import { expect, it } from 'vitest'
import { onMedium } from '../../examples/rendering/from-cdn.ts'
import preview from '../../examples/rendering/preview.ts'
import ownPreview from '../../examples/wiki-preview.ts'
import { WikiRenderer } from '../../examples/wiki-renderer.ts'

const highlightLanguages = ['javascript']

async function htmlOf(server: typeof preview, text: string): Promise<string> {
  const answers: object[] = []
  const handle = server((answer) => answers.push(answer))
  await handle({ settings: { highlightLanguages }, text })
  const { patch } = answers.at(-1) as { patch: { blocks: { html: string }[] } }
  return patch.blocks.map((block) => block.html).join('')
}

it('the preview module with a function produces the HTML of the page', async () => {
  const markdown = '![a](/media/a.png)\n\n```js\nlet a\n```'
  const html = await htmlOf(preview, markdown)
  expect(html).toContain('src="https://cdn.example.com/media/a.png"')
  expect(html).toContain('hljs-keyword')
  expect(html.trim()).toBe(new DefaultRenderer({ onMedium, highlightLanguages }).render(markdown))
})

it('the preview module with other syntax produces the HTML of the page', async () => {
  const markdown = '[[Home]]\n\n```js\nlet a\n```'
  const html = await htmlOf(ownPreview, markdown)
  expect(html).toContain('href="/wiki/Home"')
  const inner = new DefaultRenderer({ highlightLanguages })
  expect(html).toBe(new WikiRenderer(inner).render(markdown))
})
