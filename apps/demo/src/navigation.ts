export interface NavigationEntry {
  readonly href: string
  readonly label: string
  /** The value of `aria-current`: `page` for the page of the entry, `true` for its subpages. */
  readonly current: 'page' | 'true' | null
}

const ENTRIES = [
  { href: '/', label: 'Posts', within: /^\/posts\b/ },
  { href: '/docs/markdown-editor-live.md', label: 'Editor', within: /^\/docs\// },
  { href: '/devices', label: 'Devices', within: /^\/devices\// },
  { href: '/security-log', label: 'Security log', within: /^\/mailbox\b/ },
  { href: '/account', label: 'Account', within: /^\/(?:account|token-client)\b/ },
]

export function navigationFor(path: string): NavigationEntry[] {
  return ENTRIES.map(({ href, label, within }) => {
    const isWithin = within.test(path) ? 'true' : null
    return { href, label, current: path === href ? 'page' : isWithin }
  })
}
