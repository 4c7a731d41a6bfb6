import { textHolders, voidElements } from '../grammar/html-elements.ts'
import { isHost } from '../grammar/url.ts'
import type { AttributeRule, ElementRule, EmbedHost, RenderPolicy } from './policy.ts'

const words = (list: string): ReadonlySet<unknown> => new Set(list.split(/\s+/))

// Elements that no policy may allow: they are parts of the page, of forms, or run or load content.
const forbiddenElements = words(
  `svg math object embed applet frame frameset portal base meta link
  form button select option html head body`,
)
// Attributes whose value is a URL. Only the rules `link` and `media` check the scheme of a URL.
const urlAttributes = words(
  `href src cite poster data background longdesc ping attributionsrc codebase classid archive
  profile manifest lowsrc dynsrc usemap`,
)
// Attributes that run scripts, load resources or affect forms of the page.
const forbiddenAttributes = words(
  'style srcdoc srcset imagesrcset name http-equiv is form action formaction for',
)
const ruleNames = words('text flag number span length id link media')
const forbiddenSchemes = words('javascript vbscript data blob file filesystem')
// With these tokens, a framed page cannot navigate the page around it.
const sandboxTokens = words(
  `allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-popups
  allow-popups-to-escape-sandbox allow-presentation allow-same-origin allow-scripts
  allow-storage-access-by-user-activation`,
)
// Browsers nest elements only up to about this depth.
const mostDepth = 500

/**
 * Checks that a policy is safe. A text must not be able to run scripts, submit forms or use ids of
 * the page.
 *
 * @throws TypeError that names the unsafe or invalid entry
 */
export function checkPolicy(policy: RenderPolicy): void {
  for (const [element, rule] of Object.entries(policy.elements)) checkElement(element, rule)
  checkAttributes(policy.globalAttributes, 'every element')
  for (const scheme of [...policy.schemes.link, ...policy.schemes.media]) {
    if (!/^[a-z][a-z0-9+.-]*$/.test(scheme) || forbiddenSchemes.has(scheme))
      reject(`the scheme "${scheme}"`)
  }
  for (const embed of policy.embeds) checkEmbed(embed)
  const { linkRel, maxDepth, idPrefix } = policy
  if (typeof linkRel !== 'string') fail('must have a string as linkRel.')
  if (!(Number.isInteger(maxDepth) && maxDepth > 0 && maxDepth <= mostDepth))
    fail(`must have a maxDepth that is a whole number from 1 to ${mostDepth}.`)
  if (!/^[a-z][\w-]*-$/i.test(idPrefix))
    reject(`the idPrefix "${idPrefix}" (it must begin with a letter and end with a hyphen)`)
}

function checkElement(element: string, rule: ElementRule): void {
  // Rejects elements such as `style` or `textarea`, whose content browsers read as text. The
  // writer, the verifier and the browser could find different ends of these elements.
  const isForbidden =
    forbiddenElements.has(element) || (textHolders.has(element) && element !== 'iframe')
  if (!/^[a-z][a-z0-9]*$/.test(element) || isForbidden) reject(`the element "${element}"`)
  if (voidElements.has(element) !== (rule.void === true))
    fail(
      `must set void: true for elements without an end tag, and only for them. Check "${element}".`,
    )
  checkAttributes(rule.attributes ?? {}, `"${element}"`)
  if (element === 'input' && !isCheckbox(rule)) reject('an "input" that is not a checkbox')
  if (element === 'iframe' && !isSandboxed(rule))
    reject('an "iframe" without its "src" and "sandbox"')
}

function checkAttributes(rules: Readonly<Record<string, AttributeRule>>, where: string): void {
  for (const [name, rule] of Object.entries(rules)) {
    const isUrl = rule === 'link' || rule === 'media'
    const isForbidden =
      !/^[a-z][a-z-]*$/.test(name) ||
      name.startsWith('on') ||
      forbiddenAttributes.has(name) ||
      (urlAttributes.has(name) && !isUrl) ||
      (name === 'id' && rule !== 'id')
    if (isForbidden) reject(`the attribute "${name}" on ${where}`)
    if (!isRule(rule)) fail(`has an unknown rule for "${name}" on ${where}.`)
    if (typeof rule === 'string' || !('oneOf' in rule)) continue
    if (rule.oneOf.some((value) => value !== value.toLowerCase()))
      fail(`must list the values of "${name}" on ${where} in lower case.`)
  }
}

function isRule(rule: AttributeRule): boolean {
  if (typeof rule !== 'object' || rule === null) return ruleNames.has(rule)
  const list: unknown = 'oneOf' in rule ? rule.oneOf : rule.tokens
  return Array.isArray(list) && list.every((word) => typeof word === 'string')
}

function isSandboxed({ attributes, requires = [] }: ElementRule): boolean {
  const isAsked = attributes?.['src'] === 'media' && attributes['sandbox'] === 'text'
  return isAsked && requires.includes('src') && requires.includes('sandbox')
}

// Returns true if the element can only be a checkbox. Any other input could be filled in or submit
// a form.
function isCheckbox({ attributes, requires }: ElementRule): boolean {
  const type = attributes?.['type']
  const isOnly =
    typeof type === 'object' && 'oneOf' in type && type.oneOf.every((value) => value === 'checkbox')
  return isOnly && requires?.includes('type') === true
}

function checkEmbed({ host, path, sandbox }: EmbedHost): void {
  if (!isHost(host)) reject(`the embed host "${host}" (it must be a full host name)`)
  if (typeof sandbox !== 'string')
    fail(`must have a string as the sandbox of "${host}". The strictest sandbox is "".`)
  for (const token of sandbox.split(/\s+/)) {
    if (token !== '' && !sandboxTokens.has(token)) reject(`"${token}" in the sandbox of "${host}"`)
  }
  try {
    new RegExp(path ?? '')
  } catch (error) {
    fail(`has an invalid path for "${host}". ${(error as Error).message}.`)
  }
}

function reject(what: string): never {
  fail(`allows ${what}, which is not safe in rendered text.`)
}

function fail(problem: string): never {
  throw new TypeError(`The option "policy" ${problem}`)
}
