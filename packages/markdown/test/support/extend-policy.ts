import { checkPolicy } from '../../src/policy/check-policy.ts'
import { defaultPolicy } from '../../src/policy/default-policy.ts'
import type { AttributeRule, ElementRule, RenderPolicy } from '../../src/policy/policy.ts'

type Rules<Rule> = Readonly<Record<string, Rule>>

/** Changes for {@link extendPolicy}. Properties not listed here replace those of the policy. */
export interface PolicyExtension
  extends Partial<Omit<RenderPolicy, 'elements' | 'globalAttributes' | 'schemes'>> {
  /**
   * New elements, changes of known ones, or null to remove an element. Attributes are added to
   * those of a known element, and null removes an attribute. Lists of tokens are joined.
   */
  readonly elements?: Rules<ElementExtension | null>
  readonly globalAttributes?: Rules<AttributeRule | null>
  readonly schemes?: Partial<RenderPolicy['schemes']>
}

interface ElementExtension extends Omit<ElementRule, 'attributes'> {
  readonly attributes?: Rules<AttributeRule | null>
}

export function extendPolicy({
  elements = {},
  globalAttributes = {},
  schemes,
  ...others
}: PolicyExtension): RenderPolicy {
  const policy: RenderPolicy = {
    ...{ ...defaultPolicy, ...others },
    elements: merge(defaultPolicy.elements, elements, mergeElements),
    globalAttributes: merge(defaultPolicy.globalAttributes, globalAttributes, mergeRules),
    schemes: { ...defaultPolicy.schemes, ...schemes },
  }
  checkPolicy(policy)
  return policy
}

function merge<Value, Change>(
  base: Rules<Value>,
  changes: Rules<Change | null>,
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
  const attributes = merge(before?.attributes ?? {}, after.attributes ?? {}, mergeRules)
  return { ...before, ...after, attributes }
}

function mergeRules(before: AttributeRule | undefined, after: AttributeRule): AttributeRule {
  if (typeof before !== 'object' || typeof after !== 'object') return after
  if (!('tokens' in before) || !('tokens' in after)) return after
  return { tokens: [...new Set([...before.tokens, ...after.tokens])] }
}
