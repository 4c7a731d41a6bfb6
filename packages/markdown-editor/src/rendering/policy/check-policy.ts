import { isVoidElement } from '../html-elements.ts'
import { parseUrl } from '../url.ts'
import type { AttributeRule, EmbedHost, RenderPolicy } from './policy.ts'

// Elements that run, load or submit, and those whose content a browser does not read as HTML: behind them the
// sanitizer and the browser may see different things.
const refusedElements: ReadonlySet<string> = new Set(
  (
    'script style template noscript noembed noframes plaintext xmp title textarea svg math object embed applet frame ' +
    'frameset portal base meta link form button select option html head body'
  ).split(' '),
)

// Attributes that carry a URL; any other rule than these two would leave its scheme unchecked.
const urlAttributes: ReadonlySet<string> = new Set(
  (
    'href src cite poster action formaction data background longdesc ping attributionsrc codebase classid archive ' +
    'profile manifest lowsrc dynsrc usemap'
  ).split(' '),
)
const refusedAttributes: ReadonlySet<string> = new Set('style srcdoc srcset imagesrcset name http-equiv is'.split(' '))
const refusedSchemes: ReadonlySet<string> = new Set(['javascript', 'vbscript', 'data', 'blob', 'file', 'filesystem'])

/**
 * Refuses a policy under which a text could run a script, send a form or take over ids of the page.
 *
 * @throws TypeError that names the entry
 */
export function checkPolicy(policy: RenderPolicy): void {
  for (const [element, rule] of Object.entries(policy.elements)) {
    if (!/^[a-z][a-z0-9]*$/.test(element) || refusedElements.has(element)) refuse(`the element "${element}"`)
    if (isVoidElement(element) !== (rule.void === true)) {
      throw new TypeError(`The option "policy" must say of "${element}" rightly whether it is void: it has no end tag.`)
    }
    checkAttributes(rule.attributes ?? {}, `"${element}"`)
  }
  checkAttributes(policy.globalAttributes, 'every element')
  for (const scheme of [...policy.schemes.link, ...policy.schemes.media]) {
    if (!/^[a-z][a-z0-9+.-]*$/.test(scheme) || refusedSchemes.has(scheme)) refuse(`the scheme "${scheme}"`)
  }
  for (const embed of policy.embeds) checkEmbed(embed)
  if (!/^[a-z][\w-]*-$/i.test(policy.idPrefix)) refuse(`the idPrefix "${policy.idPrefix}" (it must end with a hyphen)`)
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
  }
}

// What a frame's own page may do. Not among it: to lead the page around it elsewhere.
const sandboxTokens: ReadonlySet<string> = new Set(
  (
    'allow-downloads allow-forms allow-modals allow-orientation-lock allow-pointer-lock allow-popups ' +
    'allow-popups-to-escape-sandbox allow-presentation allow-same-origin allow-scripts ' +
    'allow-storage-access-by-user-activation'
  ).split(' '),
)

function checkEmbed({ host, path, sandbox }: EmbedHost): void {
  if (parseUrl(`https://${host}/`)?.host !== host) refuse(`frames of "${host}" (it must be a host name in full)`)
  for (const token of sandbox.split(' ')) if (!sandboxTokens.has(token)) refuse(`"${token}" in frames of "${host}"`)
  if (path !== undefined) new RegExp(path) // A path that is no regular expression says so itself.
}

function refuse(what: string): never {
  throw new TypeError(`The option "policy" allows ${what}, which is not safe in rendered text.`)
}
