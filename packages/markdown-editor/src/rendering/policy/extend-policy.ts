import { checkPolicy } from './check-policy.ts'
import { defaultPolicy } from './default-policy.ts'
import type { AttributeRule, ElementRule, EmbedHost, RenderPolicy } from './policy.ts'

/** What {@link extendPolicy} changes of a policy. */
export interface PolicyExtension {
  /** New elements, new attributes of known ones, or null to take an element away. Lists of tokens are joined. */
  readonly elements?: Readonly<Record<string, ElementRule | null>>
  /** New attributes of every element, or null to take one away. */
  readonly globalAttributes?: Readonly<Record<string, AttributeRule | null>>
  /** Further schemes, without the colon. */
  readonly schemes?: { readonly link?: readonly string[]; readonly media?: readonly string[] }
  /** Further sites whose pages may be framed; one of a known host takes its place. */
  readonly embeds?: readonly EmbedHost[]
  /** In place of `nofollow ugc noopener`. */
  readonly linkRel?: string
  /** In place of `user-content-`. */
  readonly idPrefix?: string
  /** In place of 200. */
  readonly maxDepth?: number
}

/**
 * Makes a policy that allows more than another one, or less.
 *
 * @param base - what is changed
 * @throws TypeError that names what would let a text run a script, send a form or take over ids of the page
 * @example
 * new DefaultRenderer({
 *   policy: extendPolicy({
 *     elements: { figure: { attributes: { class: { tokens: ['wide'] } } }, iframe: null },
 *     schemes: { link: ['xmpp'] },
 *   }),
 * })
 */
export function extendPolicy(extension: PolicyExtension, base: RenderPolicy = defaultPolicy): RenderPolicy {
  const { elements = {}, globalAttributes = {}, schemes = {}, embeds = [] } = extension
  const { linkRel = base.linkRel, idPrefix = base.idPrefix, maxDepth = base.maxDepth } = extension
  const hosts = new Set(embeds.map(({ host }) => host))
  const policy: RenderPolicy = {
    elements: merge(base.elements, elements, mergeElements),
    globalAttributes: merge(base.globalAttributes, globalAttributes, mergeRules),
    schemes: {
      link: [...new Set([...base.schemes.link, ...(schemes.link ?? [])])],
      media: [...new Set([...base.schemes.media, ...(schemes.media ?? [])])],
    },
    embeds: [...base.embeds.filter(({ host }) => !hosts.has(host)), ...embeds],
    ...{ linkRel, idPrefix, maxDepth },
  }
  checkPolicy(policy)
  return policy
}

function merge<Value>(
  base: Readonly<Record<string, Value>>,
  changes: Readonly<Record<string, Value | null>>,
  join: (before: Value, after: Value) => Value,
): Record<string, Value> {
  const merged = new Map(Object.entries(base))
  for (const [name, change] of Object.entries(changes)) {
    const before = merged.get(name)
    if (change === null) merged.delete(name)
    else merged.set(name, before === undefined ? change : join(before, change))
  }
  return Object.fromEntries(merged)
}

function mergeElements(before: ElementRule, after: ElementRule): ElementRule {
  return { ...before, ...after, attributes: merge(before.attributes ?? {}, after.attributes ?? {}, mergeRules) }
}

function mergeRules(before: AttributeRule, after: AttributeRule): AttributeRule {
  if (typeof before === 'string' || typeof after === 'string') return after
  if (!('tokens' in before) || !('tokens' in after)) return after
  return { tokens: [...new Set([...before.tokens, ...after.tokens])] }
}
