import type { AttributeRule, RenderPolicy } from './policy/policy.ts'
import { hasScheme } from './url.ts'

/** Attribute names in lower case and their values, entities decoded. */
export type Attributes = Record<string, string>

/**
 * Gives those attributes of an element that the policy lets stay, with values that it accepts. Links get their `rel`,
 * and links within the text the prefix of the ids that they lead to.
 *
 * @param element - its name in lower case
 * @param attributes - as the author wrote them
 */
export function cleanAttributes(element: string, attributes: Readonly<Attributes>, policy: RenderPolicy): Attributes {
  const rules = Object.hasOwn(policy.elements, element) ? policy.elements[element]?.attributes : undefined
  const clean: Attributes = {}
  for (const [name, value] of Object.entries(attributes)) {
    const rule = ruleFor(rules, name) ?? ruleFor(policy.globalAttributes, name)
    const kept = rule === undefined ? null : cleanValue(rule, value, policy)
    if (kept !== null) clean[name] = kept
  }
  return element === 'a' ? cleanLink(clean, policy) : clean
}

function ruleFor(rules: Readonly<Record<string, AttributeRule>> | undefined, name: string): AttributeRule | undefined {
  return rules !== undefined && Object.hasOwn(rules, name) ? rules[name] : undefined
}

function cleanValue(rule: AttributeRule, value: string, policy: RenderPolicy): string | null {
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
      return value.startsWith(policy.idPrefix) && !/\s/.test(value) ? value : null
    case 'link':
    case 'media':
      return hasScheme(value, policy.schemes[rule]) ? value : null
  }
  if ('oneOf' in rule) return rule.oneOf.includes(value.toLowerCase()) ? value.toLowerCase() : null
  const words = value.split(/\s+/).filter((word) => rule.tokens.some((token) => matchesToken(token, word)))
  return words.length > 0 ? words.join(' ') : null
}

function matchesToken(token: string, word: string): boolean {
  if (!token.endsWith('*')) return token === word
  const start = token.slice(0, -1)
  return word.startsWith(start) && /^[\w+#.-]{1,40}$/.test(word.slice(start.length))
}

function cleanLink({ rel: _, ...attributes }: Attributes, policy: RenderPolicy): Attributes {
  const { href } = attributes
  if (href === undefined) return attributes
  if (!href.startsWith('#')) return { ...attributes, rel: policy.linkRel }
  const isPrefixed = href === '#' || href.startsWith(`#${policy.idPrefix}`)
  return isPrefixed ? attributes : { ...attributes, href: `#${policy.idPrefix}${href.slice(1)}` }
}
