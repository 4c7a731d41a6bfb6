import { DefaultRenderer, defaultPolicy, type RenderPolicy } from '@quillgate/markdown'

const { iframe: _, ...elements } = defaultPolicy.elements // removes the element iframe
const policy: RenderPolicy = {
  ...defaultPolicy,
  elements: {
    ...elements,
    // allows an additional attribute
    figure: { attributes: { class: { tokens: ['wide', 'size-*'] } } },
    address: {}, // allows an additional element
  },
  schemes: { ...defaultPolicy.schemes, link: [...defaultPolicy.schemes.link, 'xmpp'] },
  linkRel: 'nofollow noopener',
}
export const renderer = new DefaultRenderer({ policy })
