import sanitizeHtml from 'sanitize-html'
import { cleanAttributes } from './clean-attributes.ts'
import { toFrame } from './embeds/frame.ts'
import type { RenderPolicy } from './policy/policy.ts'

/**
 * Makes a function that keeps of any HTML what the policy lists: elements, attributes, URLs. What it gives is balanced
 * and escaped, but not yet checked for elements in wrong places: see {@link nestElements}.
 */
export function createSanitizer(policy: RenderPolicy): (html: string) => string {
  const options = toOptions(policy)
  return (html) => sanitizeHtml(html, options)
}

function toOptions(policy: RenderPolicy): sanitizeHtml.IOptions {
  const rules = Object.entries(policy.elements)
  return {
    allowedTags: rules.map(([name]) => name),
    allowedAttributes: {
      '*': Object.keys(policy.globalAttributes),
      ...Object.fromEntries(rules.map(([name, rule]) => [name, Object.keys(rule.attributes ?? {})])),
    },
    selfClosing: rules.filter(([, rule]) => rule.void).map(([name]) => name),
    // cleanAttributes has judged every URL before; the library's own judgement stays on as a second opinion.
    allowedSchemes: [...policy.schemes.link, ...policy.schemes.media],
    allowedIframeHostnames: policy.embeds.map(({ host }) => host.replace(/:\d+$/, '')),
    allowIframeRelativeUrls: false,
    disallowedTagsMode: 'discard',
    nestingLimit: policy.maxDepth,
    // Style attributes never stay; parsing them would also need postcss in the browser.
    parseStyleAttributes: false,
    transformTags: {
      iframe: (_name, attributes) => {
        const frame = toFrame(attributes, policy)
        if (frame.kind === 'link') return { tagName: 'a', attribs: { href: frame.href }, text: frame.href }
        return { tagName: 'iframe', attribs: frame.kind === 'frame' ? frame.attributes : {}, text: '' }
      },
      '*': (name, attributes) => ({ tagName: name, attribs: cleanAttributes(name, attributes, policy) }),
    },
  }
}
