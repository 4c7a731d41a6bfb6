import { checkPolicy } from './check-policy.ts'
import { defaultPolicy } from './default-policy.ts'
import type { AttributeRule, ElementRule, EmbedHost, RenderPolicy } from './policy.ts'

/** What {@link extendPolicy} changes of an element: what is left out stays. */
export interface ElementExtension extends Omit<ElementRule, 'attributes'> {
  /** New attributes, or null to take one away. Lists of tokens are joined. */
  readonly attributes?: Readonly<Record<string, AttributeRule | null>>
}

/** What {@link extendPolicy} changes of a policy. */
export interface PolicyExtension {
  /** New elements, changes of known ones, or null to take an element away. */
  readonly elements?: Readonly<Record<string, ElementExtension | null>>
  /** New attributes of every element, or null to take one away. */
  readonly globalAttributes?: Readonly<Record<string, AttributeRule | null>>
  /** Further schemes, without the colon. */
  readonly schemes?: Partial<RenderPolicy['schemes']>
  /** Schemes that no longer count. */
  readonly withoutSchemes?: Partial<RenderPolicy['schemes']>
  /** Further sites whose pages may be framed; one of a known host takes its place. The option `embedHosts` takes them away. */
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
export function extendPolicy(
  extension: PolicyExtension,
  base: RenderPolicy = defaultPolicy,
): RenderPolicy {
  const {
    elements = {},
    globalAttributes = {},
    schemes = {},
    withoutSchemes = {},
    embeds = [],
  } = extension
  const { linkRel = base.linkRel, idPrefix = base.idPrefix, maxDepth = base.maxDepth } = extension
  const hosts = new Set(embeds.map(({ host }) => host))
  const policy: RenderPolicy = {
    elements: merge(base.elements, elements, mergeElements),
    globalAttributes: merge(base.globalAttributes, globalAttributes, mergeRules),
    schemes: {
      link: changeList(base.schemes.link, schemes.link, withoutSchemes.link),
      media: changeList(base.schemes.media, schemes.media, withoutSchemes.media),
    },
    embeds: [...base.embeds.filter(({ host }) => !hosts.has(host)), ...embeds],
    ...{ linkRel, idPrefix, maxDepth },
  }
  checkPolicy(policy)
  return policy
}

function changeList(
  base: readonly string[],
  more: readonly string[] = [],
  less: readonly string[] = [],
): string[] {
  return [...new Set([...base, ...more])].filter((name) => !less.includes(name))
}

function merge<Value, Change>(
  base: Readonly<Record<string, Value>>,
  changes: Readonly<Record<string, Change | null>>,
  join: (before: Value | undefined, after: Change) => Value,
): Record<string, Value> {
  const merged = new Map(Object.entries(base))
  for (const [name, after] of Object.entries(changes)) {
    if (after === null) merged.delete(name)
    else merged.set(name, join(merged.get(name), after))
  }
  return Object.fromEntries(merged)
}

function mergeElements(before: ElementRule | undefined, after: ElementExtension): ElementRule {
  return {
    ...before,
    ...after,
    attributes: merge(before?.attributes ?? {}, after.attributes ?? {}, mergeRules),
  }
}

function mergeRules(before: AttributeRule | undefined, after: AttributeRule): AttributeRule {
  if (typeof before !== 'object' || typeof after !== 'object') return after
  if (!('tokens' in before) || !('tokens' in after)) return after
  return { tokens: [...new Set([...before.tokens, ...after.tokens])] }
}
