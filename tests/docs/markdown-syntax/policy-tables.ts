import { defaultPolicy } from '../../../packages/markdown/src/index.ts'
import type { AttributeRule, ElementRule } from '../../../packages/markdown/src/policy/policy.ts'

/** Returns a table of the allowed elements. Elements with the same description share a row. */
export function elementsTable(): string {
  const rows = new Map<string, string[]>()
  for (const [name, rule] of Object.entries(defaultPolicy.elements)) {
    const rest = `${attributesOf(rule.attributes ?? {})} | ${placeOf(rule)}`
    rows.set(rest, [...(rows.get(rest) ?? []), `\`${name}\``])
  }
  return table(
    ['Elements', 'Attributes', 'Where'],
    [...rows].map(([rest, names]) => `${names.join(', ')} | ${rest}`),
  )
}

/** Returns a list of the attributes that every element may have. */
export function globalAttributes(): string {
  return attributesOf(defaultPolicy.globalAttributes)
}

/** Returns the rows for the attributes with URLs. */
export function schemeRows(): string {
  return Object.entries(defaultPolicy.schemes)
    .map(
      ([rule, all]) => `| ${rule} | Relative URLs, and the schemes ${all.map(code).join(', ')} |`,
    )
    .join('\n')
}

/** Returns a table of the hosts whose pages may be embedded. */
export function embedsTable(): string {
  return table(
    ['Host', 'Path'],
    defaultPolicy.embeds.map(({ host, path = '/.*' }) => [host, path].map(code).join(' | ')),
  )
}

/**
 * Returns the sandbox of all embedded pages.
 *
 * @throws Error if the sandboxes differ, because the page shows only one
 */
export function embedSandbox(): string {
  const [sandbox = '', ...others] = new Set(defaultPolicy.embeds.map((embed) => embed.sandbox))
  if (others.length > 0) throw new Error('The sandboxes differ. Show them in the table of embeds.')
  return sandbox
}

function table(heads: readonly string[], rows: readonly string[]): string {
  const head = [`| ${heads.join(' | ')} |`, `|${'---|'.repeat(heads.length)}`]
  return [...head, ...rows.map((row) => `| ${row} |`)].join('\n')
}

function attributesOf(attributes: Readonly<Record<string, AttributeRule>>): string {
  return Object.entries(attributes)
    .map(([name, rule]) => `${code(name)} ${ruleOf(rule)}`)
    .join(', ')
}

function ruleOf(rule: AttributeRule): string {
  if (typeof rule === 'string') return rule
  const values = 'oneOf' in rule ? rule.oneOf : rule.tokens
  return `(${values.map(code).join(' ')})`
}

function placeOf({ parents, children, notInside, requires }: ElementRule): string {
  return [
    ...(parents === undefined ? [] : [`in ${parents.map(code).join(', ')}`]),
    ...(children === undefined ? [] : [`directly in it only ${children.map(code).join(', ')}`]),
    ...(notInside === undefined ? [] : [`not in ${notInside.map(code).join(', ')}`]),
    ...(requires === undefined ? [] : [`only with ${requires.map(code).join(', ')}`]),
  ].join('; ')
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``
}
