import type { AttributeRule, ElementRule, RenderPolicy } from './policy.ts'

/** The rule of one element, in a format for fast look-up. */
export interface CompiledElement extends Omit<ElementRule, 'attributes' | 'void'> {
  readonly name: string
  /** The element's own attributes and the global attributes. */
  readonly attributes: ReadonlyMap<string, AttributeRule>
  readonly requires: readonly string[]
  readonly notInside: readonly string[]
  readonly isVoid: boolean
  /** Attributes that may contain media URLs. The list is empty for frames, which show pages. */
  readonly media: readonly string[]
}

/** A policy in a format for fast look-up. */
export interface CompiledPolicy
  extends Pick<RenderPolicy, 'embeds' | 'linkRel' | 'idPrefix' | 'maxDepth'> {
  readonly elements: ReadonlyMap<string, CompiledElement>
  readonly schemes: { readonly link: ReadonlySet<string>; readonly media: ReadonlySet<string> }
}

/** Converts a policy into maps and sets, once for each renderer. */
export function compilePolicy(policy: RenderPolicy): CompiledPolicy {
  const { elements, schemes, embeds, linkRel, idPrefix, maxDepth } = policy
  return {
    elements: new Map(
      Object.entries(elements).map(([name, rule]) => [name, compileElement(name, rule, policy)]),
    ),
    schemes: { link: new Set(schemes.link), media: new Set(schemes.media) },
    embeds: Object.hasOwn(elements, 'iframe') ? embeds : [],
    ...{ linkRel, idPrefix, maxDepth },
  }
}

function compileElement(name: string, rule: ElementRule, policy: RenderPolicy): CompiledElement {
  const attributes = Object.entries({ ...policy.globalAttributes, ...rule.attributes })
  const media = attributes.flatMap(([attribute, value]) =>
    name !== 'iframe' && (value === 'media' || attribute === 'href') ? attribute : [],
  )
  return {
    ...{ name, media, requires: [], notInside: [] },
    ...rule,
    attributes: new Map(attributes),
    isVoid: rule.void === true,
  }
}
