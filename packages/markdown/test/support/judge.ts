import { judgeElement } from './expected-elements.ts'
import { descendants, type Element, parseStrictly } from './strict-html.ts'

const parents: Readonly<Record<string, string>> = {
  li: 'ul ol',
  dt: 'dl',
  dd: 'dl',
  tr: 'table thead tbody tfoot',
  td: 'tr',
  th: 'tr',
  thead: 'table',
  tbody: 'table',
  tfoot: 'table',
  caption: 'table',
}

/**
 * Returns the problems that a strict grammar finds in rendered HTML. {@link judgeInPages} uses a
 * parser that works like browsers.
 */
export function judge(html: string): string[] {
  let root: Element
  try {
    root = parseStrictly(html)
  } catch (error) {
    return [String(error)]
  }
  const problems = html.isWellFormed() && !html.includes('\0') ? [] : ['not well-formed Unicode']
  for (const { name, attributes } of descendants(root))
    problems.push(...judgeElement(name, attributes))
  return [...problems, ...judgePlaces(root, false)]
}

function judgePlaces(element: Element, inLink: boolean): string[] {
  const inside = inLink || element.name === 'a'
  return element.children.flatMap((child) => {
    if (typeof child === 'string') return []
    const problems = judgePlaces(child, inside)
    const allowed = parents[child.name]
    if (allowed !== undefined && !allowed.split(' ').includes(element.name))
      problems.push(`${child.name} in ${element.name}`)
    if (/^(table|thead|tbody|tfoot|tr)$/.test(element.name) && allowed === undefined) {
      problems.push(`${child.name} in ${element.name}`)
    }
    if (child.name === 'a' && inside) problems.push('a link in a link')
    return problems
  })
}
