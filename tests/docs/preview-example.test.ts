import { DefaultRenderer } from '@quillgate/markdown'
import { expect, it } from 'vitest'
import { onMedium } from '../../examples/rendering/from-cdn.ts'
import preview from '../../examples/rendering/preview.ts'

it('the preview module with a function produces the HTML of the page', async () => {
  const markdown = '![a](/media/a.png)\n\n```js\nlet a\n```'
  const highlightLanguages = ['javascript']
  const answers: object[] = []
  const handle = preview((answer) => answers.push(answer))
  await handle({ settings: { highlightLanguages }, text: markdown })
  const { patch } = answers.at(-1) as { patch: { blocks: { html: string }[] } }
  const html = patch.blocks.map((block) => block.html).join('')
  expect(html).toContain('src="https://cdn.example.com/media/a.png"')
  expect(html).toContain('hljs-keyword')
  expect(html.trim()).toBe(new DefaultRenderer({ onMedium, highlightLanguages }).render(markdown))
})
