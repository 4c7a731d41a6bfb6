import { DefaultRenderer, defaultPolicy, extendPolicy } from '@quillgate/markdown'

const policy = extendPolicy({
  elements: {
    figure: { attributes: { class: { tokens: ['wide', 'size-*'] } } }, // one more attribute
    address: {}, // one more element
    iframe: null, // no frames
  },
  schemes: { link: [...defaultPolicy.schemes.link, 'xmpp'] },
  linkRel: 'nofollow noopener',
})
export const renderer = new DefaultRenderer({ policy })
