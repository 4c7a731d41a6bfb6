import type { AttributeRule, ElementRule, EmbedHost, RenderPolicy } from './policy.ts'

/** The rule of one element, in a form for fast look-up. */
export interface CompiledElement {
  readonly name: string
  /** The element's own attributes and the global ones. */
  readonly attributes: ReadonlyMap<string, AttributeRule>
  readonly requires: readonly string[]
  readonly parents: ReadonlySet<string> | null
  readonly children: ReadonlySet<string> | null
  readonly notInside: readonly string[]
  readonly isVoid: boolean
  /**
   * The attributes that may contain media URLs: those that load something, and `href`. Frames have
   * none, because they show pages of listed hosts, not files of the application.
   */
  readonly media: readonly string[]
}

/** A policy in a form for fast look-up. */
export interface CompiledPolicy {
  readonly source: RenderPolicy
  readonly elements: ReadonlyMap<string, CompiledElement>
  readonly schemes: { readonly link: ReadonlySet<string>; readonly media: ReadonlySet<string> }
  /** Empty if the policy does not list frames. */
  readonly embeds: readonly EmbedHost[]
  readonly linkRel: string
  readonly idPrefix: string
  readonly maxDepth: number
}

/** Converts a policy into maps and sets, once for each renderer. */
export function compilePolicy(policy: RenderPolicy): CompiledPolicy {
  const elements = new Map<string, CompiledElement>()
  for (const [name, rule] of Object.entries(policy.elements))
    elements.set(name, compileElement(name, rule, policy))
  const { linkRel, idPrefix, maxDepth } = policy
  const embeds = elements.has('iframe') ? policy.embeds : []
  const schemes = { link: new Set(policy.schemes.link), media: new Set(policy.schemes.media) }
  return { source: policy, elements, schemes, embeds, linkRel, idPrefix, maxDepth }
}

function compileElement(name: string, rule: ElementRule, policy: RenderPolicy): CompiledElement {
  const attributes = new Map([
    ...Object.entries(policy.globalAttributes),
    ...Object.entries(rule.attributes ?? {}),
  ])
  const media = [...attributes].filter(
    ([attribute, value]) => value === 'media' || attribute === 'href',
  )
  return {
    name,
    attributes,
    media: name === 'iframe' ? [] : media.map(([attribute]) => attribute),
    requires: rule.requires ?? [],
    parents: rule.parents === undefined ? null : new Set(rule.parents),
    children: rule.children === undefined ? null : new Set(rule.children),
    notInside: rule.notInside ?? [],
    isVoid: rule.void === true,
  }
}
