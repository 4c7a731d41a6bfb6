interface HtmlPolicy {
  createHTML(html: string): string
}

interface TrustedTypesGlobal {
  trustedTypes?: { createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy }
  [POLICY]?: HtmlPolicy
}

// A second policy of the same name is an error, and this module may be on the page twice.
const POLICY: unique symbol = Symbol.for('quillgate.trusted-types')

/**
 * Marks HTML as trusted where the page asks for Trusted Types: the policy is called `quillgate`, and the page's
 * Content-Security-Policy must list it. Only for HTML that is escaped or sanitized.
 */
export function trustHtml(html: string): string {
  const scope = globalThis as TrustedTypesGlobal
  const policy = scope[POLICY] ?? scope.trustedTypes?.createPolicy('quillgate', { createHTML: (safe) => safe })
  if (policy === undefined) return html
  scope[POLICY] = policy
  return policy.createHTML(html)
}
