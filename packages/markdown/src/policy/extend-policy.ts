import { checkPolicy } from './check-policy.ts'
import { defaultPolicy } from './default-policy.ts'
import type { AttributeRule, ElementRule, EmbedHost, RenderPolicy } from './policy.ts'

/** Changes of an element for {@link extendPolicy}. Everything else stays unchanged. */
export interface ElementExtension extends Omit<ElementRule, 'attributes'> {
  /** New attributes, or null to remove one. Lists of tokens are merged. */
  readonly attributes?: Readonly<Record<string, AttributeRule | null>>
}

/** Changes of a policy for {@link extendPolicy}. */
export interface PolicyExtension {
  /** New elements, changes of known ones, or null to remove an element. */
  readonly elements?: Readonly<Record<string, ElementExtension | null>>
  /** New attributes of every element, or null to remove one. */
  readonly globalAttributes?: Readonly<Record<string, AttributeRule | null>>
  /** Additional schemes, without the colon. */
  readonly schemes?: Partial<RenderPolicy['schemes']>
  /** Schemes to remove. */
  readonly withoutSchemes?: Partial<RenderPolicy['schemes']>
  /**
   * Additional sites whose pages may be framed. They replace sites with the same host. The option
   * `embedHosts` replaces all of them.
   */
  readonly embeds?: readonly EmbedHost[]
  /** Replaces `nofollow ugc noopener`. */
  readonly linkRel?: string
  /** Replaces `user-content-`. */
  readonly idPrefix?: string
  /** Replaces 200. */
  readonly maxDepth?: number
}

/**
 * Creates a policy that allows more or less than another one.
 *
 * @param base - the policy to change
 * @throws TypeError that names an entry with which a text could run a script, submit a form or use
 * ids of the page
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
