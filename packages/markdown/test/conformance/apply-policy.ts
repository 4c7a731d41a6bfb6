import type { AttributeRule, RenderPolicy } from '../../src/policy/policy.ts'
import { type Element, isElement, isText, type Node, type Parent, textOf } from './html-tree.ts'

// The content of these elements is not text for readers, so it is removed with the tags.
const droppedWhole =
  /^(script|style|template|textarea|title|xmp|noscript|noembed|noframes|plaintext)$/

/**
 * Applies a policy to a tree as the guide describes it. Shares no code with the renderer, so that
 * the tests can compare the results.
 */
export function applyPolicy(root: Parent, policy: RenderPolicy): void {
  const ids = new Set<string>()
  clean(root, [], policy)
  visit(root, (element) => {
    if (/^h[1-6]$/.test(element.tagName)) addId(element, ids, policy.idPrefix)
  })
}

function clean(parent: Parent, inside: readonly string[], policy: RenderPolicy): void {
  parent.childNodes = parent.childNodes.flatMap((node): Node[] => {
    if (isText(node)) return [node]
    if (!isElement(node) || droppedWhole.test(node.tagName)) return []
    node.attrs = node.attrs.flatMap(({ name, value }) => {
      const kept = cleanValue(ruleFor(node.tagName, name, policy), value, policy)
      return kept === null ? [] : [{ name, value: kept }]
    })
    if (node.tagName === 'a') cleanLink(node, policy)
    const stays = mayStand(node, inside, policy)
    clean(node, stays ? [...inside, node.tagName] : inside, policy)
    if (!stays) return node.childNodes
    const isEmptied =
      node.tagName === 'p' &&
      node.childNodes.every((child) => isText(child) && child.value.trim() === '')
    return isEmptied ? [] : [node]
  })
}

function mayStand(element: Element, inside: readonly string[], policy: RenderPolicy): boolean {
  const rule = policy.elements[element.tagName]
  const parent = inside.at(-1)
  const siblings = parent === undefined ? undefined : policy.elements[parent]?.children
  return (
    rule !== undefined &&
    (rule.requires ?? []).every((name) =>
      element.attrs.some((attribute) => attribute.name === name),
    ) &&
    (rule.parents === undefined || (parent !== undefined && rule.parents.includes(parent))) &&
    (siblings === undefined || siblings.includes(element.tagName)) &&
    !(rule.notInside ?? []).some((name) => inside.includes(name))
  )
}

function ruleFor(
  element: string,
  attribute: string,
  policy: RenderPolicy,
): AttributeRule | undefined {
  return policy.elements[element]?.attributes?.[attribute] ?? policy.globalAttributes[attribute]
}

function cleanValue(
  rule: AttributeRule | undefined,
  value: string,
  policy: RenderPolicy,
): string | null {
  const keepIf = (isFine: boolean): string | null => (isFine ? value : null)
  if (rule === undefined) return null
  if (rule === 'text') return value
  if (rule === 'flag') return ''
  if (rule === 'number') return keepIf(/^-?\d{1,9}$/.test(value))
  if (rule === 'span') return keepIf(/^[1-9]\d?\d?$/.test(value))
  if (rule === 'length') return keepIf(/^\d{1,5}(px|%)?$/.test(value))
  if (rule === 'id') return keepIf(value.startsWith(policy.idPrefix) && !/\s/.test(value))
  if (rule === 'link' || rule === 'media') {
    const scheme = URL.parse(value, 'https://page.example/')?.protocol.slice(0, -1)
    return keepIf(scheme !== undefined && policy.schemes[rule].includes(scheme))
  }
  if ('oneOf' in rule) return rule.oneOf.find((word) => word === value.toLowerCase()) ?? null
  const words = value.split(/\s+/).filter((word) => rule.tokens.some((token) => fits(word, token)))
  return words.length > 0 ? words.join(' ') : null
}

function fits(word: string, token: string): boolean {
  const [start = '', open] = token.split('*')
  return open === undefined
    ? word === token
    : word.startsWith(start) && /^[\p{L}\p{M}\p{N}_+#.-]{1,40}$/u.test(word.slice(start.length))
}

function cleanLink(link: Element, { idPrefix, linkRel }: RenderPolicy): void {
  link.attrs = link.attrs.filter(({ name }) => name !== 'rel')
  const href = link.attrs.find(({ name }) => name === 'href')
  if (href === undefined) return
  if (!href.value.startsWith('#')) {
    if (linkRel !== '') link.attrs.push({ name: 'rel', value: linkRel })
  } else if (href.value !== '#' && !href.value.startsWith(`#${idPrefix}`)) {
    href.value = `#${idPrefix}${href.value.slice(1)}`
  }
}

function addId(heading: Element, ids: Set<string>, idPrefix: string): void {
  const words = textOf(heading).toLowerCase().trim()
  const slug = words
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
  if (slug === '') return
  let id = slug
  for (let count = 1; ids.has(id); count++) id = `${slug}-${count}`
  ids.add(id)
  heading.attrs.push({ name: 'id', value: idPrefix + id })
}

function visit(parent: Parent, use: (element: Element) => void): void {
  for (const child of parent.childNodes) {
    if (!isElement(child)) continue
    use(child)
    visit(child, use)
  }
}
