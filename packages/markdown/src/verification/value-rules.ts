import type { AttributeRule, RenderPolicy } from '../policy/policy.ts'

/** Returns true if a decoded attribute value is allowed. */
export type ValueCheck = (value: string) => boolean

/**
 * Creates the check for an attribute. If any value is allowed, returns null. The check does not use
 * the code of `HtmlWriter`, so that it detects mistakes in that code.
 */
export function toValueCheck(rule: AttributeRule, policy: RenderPolicy): ValueCheck | null {
  switch (rule) {
    case 'text':
      return null
    case 'flag':
      return (value) => value === ''
    case 'number':
      return (value) => /^-?[0-9]{1,9}$/.test(value)
    case 'span':
      return (value) => /^[0-9]{1,3}$/.test(value) && Number(value) > 0
    case 'length':
      return (value) => /^[0-9]{1,5}(?:px|%)?$/.test(value)
    case 'id':
      return (value) => value.startsWith(policy.idPrefix) && !/\s/.test(value)
    case 'link':
    case 'media': {
      const schemes = policy.schemes[rule]
      return (value) => schemes.includes(schemeOf(value))
    }
  }
  if ('oneOf' in rule) return (value) => rule.oneOf.includes(value)
  return (value) =>
    value.split(' ').every((word) => rule.tokens.some((token) => isToken(word, token)))
}

/** Creates the checks of the `src` and the `sandbox` of an iframe. */
export function frameChecks({ embeds }: RenderPolicy): [attribute: string, check: ValueCheck][] {
  const pages = embeds.map(({ host, path = '/.*' }) => ({
    start: `https://${host}/`,
    path: new RegExp(`^(?:${path})$`),
  }))
  const isPage: ValueCheck = (value) =>
    pages.some(
      ({ start, path }) =>
        value.startsWith(start) && URL.canParse(value) && path.test(new URL(value).pathname),
    )
  return [
    ['src', isPage],
    ['sandbox', (value) => embeds.some(({ sandbox }) => sandbox === value)],
  ]
}

function isToken(word: string, token: string): boolean {
  if (token.startsWith('*')) return /^[A-Za-z]+_*$/.test(word) && word.endsWith(token.slice(1))
  if (!token.endsWith('*')) return word === token
  return (
    word.startsWith(token.slice(0, -1)) &&
    /^[\p{L}\p{M}\p{N}_+#.-]+$/u.test(word) &&
    word.length <= token.length + 40
  )
}

const ignored = /[\t\n\r]/g
// Matches C0 controls and spaces. Browsers ignore them at the start of a URL.
const leading = /^[\0- ]+/
const scheme = /^([a-z][a-z0-9+.-]*):/i

/**
 * Returns the scheme that a browser uses for a URL, in lower case. For a relative URL, returns
 * `https`.
 *
 * @see https://url.spec.whatwg.org/#scheme-start-state
 */
export function schemeOf(value: string): string {
  const match = scheme.exec(value.replace(leading, '').replace(ignored, ''))
  return match?.[1]?.toLowerCase() ?? 'https'
}
