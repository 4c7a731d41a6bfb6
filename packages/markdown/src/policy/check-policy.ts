import { contentHolders, isVoidElement } from '../grammar/html-elements.ts'
import { isHost } from '../grammar/url.ts'
import type { AttributeRule, ElementRule, EmbedHost, RenderPolicy } from './policy.ts'

// Elements that run, load or submit.
const refusedElements: ReadonlySet<string> = new Set(
  (
    'svg math object embed applet frame frameset portal base meta link ' +
    'form button select option html head body'
  ).split(' '),
)

// Attributes with a URL. Only the rules `link` and `media` check its scheme.
const urlAttributes: ReadonlySet<string> = new Set(
  (
    'href src cite poster data background longdesc ping attributionsrc codebase classid archive ' +
    'profile manifest lowsrc dynsrc usemap'
  ).split(' '),
)
// Attributes that run scripts, load something or, like `form`, `formaction` and `for`, affect forms
// of the page.
const refusedAttributes: ReadonlySet<string> = new Set(
  'style srcdoc srcset imagesrcset name http-equiv is form action formaction for'.split(' '),
)
const ruleNames: ReadonlySet<unknown> = new Set(
  'text flag number span length id link media'.split(' '),
)
// Browsers flatten elements that are nested deeper than this.
const mostDepth = 500
const refusedSchemes: ReadonlySet<string> = new Set([
  'javascript',
  'vbscript',
  'data',
  'blob',
  'file',
  'filesystem',
])

/**
 * Checks that no text can run a script, submit a form or use ids of the page with a policy.
 *
 * @throws TypeError that names the entry
 */
export function checkPolicy(policy: RenderPolicy): void {
  for (const [element, rule] of Object.entries(policy.elements)) {
    if (!/^[a-z][a-z0-9]*$/.test(element) || isRefused(element)) refuse(`the element "${element}"`)
    if (isVoidElement(element) !== (rule.void === true)) {
      throw new TypeError(
        `The option "policy" must set void: true for elements without an end tag, and only for them. Check "${element}".`,
      )
    }
    checkAttributes(rule.attributes ?? {}, `"${element}"`)
    if (element === 'input' && !isCheckbox(rule)) refuse('an "input" that is no checkbox')
    if (element === 'iframe' && !isSandboxed(rule))
      refuse('an "iframe" without its "src" and "sandbox"')
  }
  checkAttributes(policy.globalAttributes, 'every element')
  for (const scheme of [...policy.schemes.link, ...policy.schemes.media]) {
    if (!/^[a-z][a-z0-9+.-]*$/.test(scheme) || refusedSchemes.has(scheme))
      refuse(`the scheme "${scheme}"`)
  }
  for (const embed of policy.embeds) checkEmbed(embed)
  const { linkRel, maxDepth } = policy
  if (typeof linkRel !== 'string')
    throw new TypeError('The linkRel of the option "policy" must be a string.')
  if (!(Number.isInteger(maxDepth) && maxDepth > 0 && maxDepth <= mostDepth)) {
    throw new TypeError(
      `The maxDepth of the option "policy" must be a whole number from 1 to ${mostDepth}.`,
    )
  }
  if (!/^[a-z][\w-]*-$/i.test(policy.idPrefix))
    refuse(`the idPrefix "${policy.idPrefix}" (it must end with a hyphen)`)
}

function checkAttributes(rules: Readonly<Record<string, AttributeRule>>, where: string): void {
  for (const [name, rule] of Object.entries(rules)) {
    const isUrl = rule === 'link' || rule === 'media'
    const isRefused =
      !/^[a-z][a-z-]*$/.test(name) ||
      name.startsWith('on') ||
      refusedAttributes.has(name) ||
      (urlAttributes.has(name) && !isUrl) ||
      (name === 'id' && rule !== 'id')
    if (isRefused) refuse(`the attribute "${name}" on ${where}`)
    if (!isRule(rule))
      throw new TypeError(`The option "policy" has no known rule for "${name}" on ${where}.`)
    if (
      typeof rule === 'object' &&
      'oneOf' in rule &&
      rule.oneOf.some((value) => value !== value.toLowerCase())
    ) {
      throw new TypeError(
        `The option "policy" must have the values of "${name}" on ${where} in lower case.`,
      )
    }
  }
}

function isRule(rule: AttributeRule): boolean {
  if (typeof rule !== 'object' || rule === null) return ruleNames.has(rule)
  const words: unknown = 'oneOf' in rule ? rule.oneOf : rule.tokens
  return Array.isArray(words) && words.every((word) => typeof word === 'string')
}

// The two layers and the browser could disagree about where elements with text content end.
function isRefused(element: string): boolean {
  return refusedElements.has(element) || (contentHolders.has(element) && element !== 'iframe')
}

// The second layer checks frames by `src` and `sandbox`, so both are required.
function isSandboxed({ attributes, requires = [] }: ElementRule): boolean {
  const isAsked = attributes?.['src'] === 'media' && attributes['sandbox'] === 'text'
  return isAsked && requires.includes('src') && requires.includes('sandbox')
}

// Any other control could be filled in, or submit a form.
function isCheckbox({ attributes, requires }: ElementRule): boolean {
  const type = attributes?.['type']
  const isOnly =
    typeof type === 'object' && 'oneOf' in type && type.oneOf.every((value) => value === 'checkbox')
  return isOnly && requires?.includes('type') === true
}

// What a framed page may do. It must not navigate the page around it.
const sandboxTokens: ReadonlySet<string> = new Set(
  (
    'allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-popups ' +
    'allow-popups-to-escape-sandbox allow-presentation allow-same-origin allow-scripts ' +
    'allow-storage-access-by-user-activation'
  ).split(' '),
)

function checkEmbed({ host, path, sandbox }: EmbedHost): void {
  if (!isHost(host)) refuse(`frames of "${host}" (it must be a host name in full)`)
  if (typeof sandbox !== 'string') {
    throw new TypeError(
      `The option "policy" must have a string, "" for the strictest, as the sandbox of "${host}".`,
    )
  }
  for (const token of sandbox.split(/\s+/)) {
    if (token !== '' && !sandboxTokens.has(token)) refuse(`"${token}" in frames of "${host}"`)
  }
  if (path !== undefined) new RegExp(path) // Throws a SyntaxError if the path is not a regular expression.
}

function refuse(what: string): never {
  throw new TypeError(`The option "policy" allows ${what}, which is not safe in rendered text.`)
}
