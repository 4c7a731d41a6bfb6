interface Policy {
  createHTML(html: string): string
  createScriptURL(url: string): string
}

interface TrustedTypesGlobal {
  trustedTypes?: { createPolicy(name: string, rules: Policy): Policy }
  [POLICY]?: Policy
}

// A second policy of the same name is an error, and this module may be on the page twice.
const POLICY: unique symbol = Symbol.for('quillgate.trusted-types')

const RULES: Policy = {
  createHTML: (html) => html,
  createScriptURL(url) {
    if (new URL(url).origin === location.origin) return url
    throw new TypeError(`${url} is not of this origin.`)
  },
}

/**
 * Marks HTML as trusted where the page asks for Trusted Types: the policy is called `quillgate`,
 * and the page's Content-Security-Policy must list it. Only for HTML that is escaped or sanitized.
 */
export function trustHtml(html: string): string {
  return policy()?.createHTML(html) ?? html
}

/**
 * Marks the URL of a Worker's script as trusted, like {@link trustHtml}.
 *
 * @throws TypeError when it is not of the page's origin
 */
export function trustScriptUrl(url: URL): string {
  return (policy() ?? RULES).createScriptURL(url.href)
}

function policy(): Policy | undefined {
  const scope = globalThis as TrustedTypesGlobal
  const made = scope[POLICY] ?? scope.trustedTypes?.createPolicy('quillgate', RULES)
  if (made !== undefined) scope[POLICY] = made
  return made
}
