import { escapeHtml } from '@quillgate/server/core'
import { expect, it } from 'vitest'

it('escapes characters that begin a tag or an entity, or end an attribute', () => {
  expect(escapeHtml(`<b title="x" id='y'>&amp;</b>`)).toBe(
    '&#60;b title=&#34;x&#34; id=&#39;y&#39;&#62;&#38;amp;&#60;/b&#62;',
  )
  expect(escapeHtml('Zoë’s phone')).toBe('Zoë’s phone')
})
