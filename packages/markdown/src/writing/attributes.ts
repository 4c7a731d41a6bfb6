import { escapeHtml } from '../grammar/escape-html.ts'
import type { AttributeList } from '../grammar/scan-html.ts'
import { hasScheme } from '../grammar/url.ts'
import type { CompiledElement, CompiledPolicy } from '../policy/compile-policy.ts'
import type { AttributeRule } from '../policy/policy.ts'

/** Returns the allowed attributes. If a name is repeated, uses its first allowed value. */
export function cleanAttributes(
  element: CompiledElement,
  attributes: AttributeList,
  policy: CompiledPolicy,
): Map<string, string> {
  const clean = new Map<string, string>()
  for (const [name, given] of attributes) {
    if (clean.has(name)) continue
    const rule = element.attributes.get(name)
    const kept = rule === undefined ? null : cleanValue(rule, String(given), policy)
    if (kept !== null) clean.set(name, kept)
  }
  if (element.name === 'a') cleanLink(clean, policy)
  return clean
}

/** Writes attributes, each after a space. */
export function writeAttributes(
  element: CompiledElement,
  attributes: ReadonlyMap<string, string>,
): string {
  let html = ''
  for (const [name, value] of attributes) {
    html += element.attributes.get(name) === 'flag' ? ` ${name}` : ` ${name}="${escapeHtml(value)}"`
  }
  return html
}

function cleanValue(rule: AttributeRule, value: string, policy: CompiledPolicy): string | null {
  switch (rule) {
    case 'text':
      return value
    case 'flag':
      return ''
    case 'number':
      return /^-?\d{1,9}$/.test(value) ? value : null
    case 'span':
      return /^[1-9]\d{0,2}$/.test(value) ? value : null
    case 'length':
      return /^\d{1,5}(px|%)?$/.test(value) ? value : null
    case 'id':
      // A dot ends the scope of a text, so an author's id must not contain a dot.
      return value.startsWith(policy.idPrefix) && !/[\s.]/.test(value.slice(policy.idPrefix.length))
        ? value
        : null
    case 'link':
    case 'media':
      return hasScheme(value, policy.schemes[rule]) ? value : null
  }
  if ('oneOf' in rule) return rule.oneOf.includes(value.toLowerCase()) ? value.toLowerCase() : null
  const words = value
    .split(/\s+/)
    .filter((word) => rule.tokens.some((token) => matchesToken(token, word)))
  return words.length > 0 ? words.join(' ') : null
}

function matchesToken(token: string, word: string): boolean {
  if (token.startsWith('*')) return word.endsWith(token.slice(1)) && /^[a-z]{1,40}_*$/i.test(word)
  if (!token.endsWith('*')) return token === word
  const start = token.slice(0, -1)
  const rest = word.slice(start.length)
  return word.startsWith(start) && rest.length <= 40 && /^[\p{L}\p{M}\p{N}_+#.-]+$/u.test(rest)
}

function cleanLink(attributes: Map<string, string>, { linkRel, idPrefix }: CompiledPolicy): void {
  // Browsers ignore control characters and spaces at the start of a URL.
  const href = attributes.get('href')?.replace(/^[\0- ]+/, '')
  attributes.delete('rel')
  if (href === undefined) return
  if (!href.startsWith('#')) {
    if (linkRel !== '') attributes.set('rel', linkRel)
  } else if (href !== '#' && !href.startsWith(`#${idPrefix}`))
    attributes.set('href', `#${idPrefix}${href.slice(1)}`)
}
