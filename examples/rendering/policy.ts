import { DefaultRenderer, defaultPolicy, type RenderPolicy } from '@quillgate/markdown'

const { iframe: _, ...elements } = defaultPolicy.elements // no frames
const policy: RenderPolicy = {
  ...defaultPolicy,
  elements: {
    ...elements,
    figure: { attributes: { class: { tokens: ['wide', 'size-*'] } } }, // one more attribute
    address: {}, // one more element
  },
  schemes: { ...defaultPolicy.schemes, link: [...defaultPolicy.schemes.link, 'xmpp'] },
  linkRel: 'nofollow noopener',
}
export const renderer = new DefaultRenderer({ policy })
