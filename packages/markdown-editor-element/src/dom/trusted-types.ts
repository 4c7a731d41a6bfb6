interface Policy {
  createHTML(html: string): string
  createScriptURL(url: string): string
}

interface TrustedTypesGlobal {
  trustedTypes?: { createPolicy(name: string, rules: Policy): Policy }
  [POLICY]?: Policy
}

// The key under which the policy is shared. Creating a second policy of the same name throws, and a
// page may contain this module twice.
const POLICY: unique symbol = Symbol.for('quillgate.trusted-types')

const RULES: Policy = {
  createHTML: (html) => html,
  createScriptURL(url) {
    if (new URL(url).origin === location.origin) return url
    throw new TypeError(`${url} is not from this origin.`)
  },
}

/**
 * Marks HTML as trusted for pages that enforce Trusted Types. The policy is named `quillgate`, and
 * the page's Content-Security-Policy must list this name. Use this function only for HTML that is
 * escaped, sanitized, or parsed into an inert document.
 */
export function trustHtml(html: string): string {
  return policy()?.createHTML(html) ?? html
}

/** Marks the URL of a worker script as trusted. Throws a TypeError for another origin. */
export function trustScriptUrl(url: URL): string {
  return (policy() ?? RULES).createScriptURL(url.href)
}

function policy(): Policy | undefined {
  const scope = globalThis as TrustedTypesGlobal
  const made = scope[POLICY] ?? scope.trustedTypes?.createPolicy('quillgate', RULES)
  if (made !== undefined) scope[POLICY] = made
  return made
}
