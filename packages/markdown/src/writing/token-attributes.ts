import type { Token } from 'markdown-it'
import type { AttributeList } from '../grammar/scan-html.ts'
import { altOf } from './token-text.ts'

/** The attributes of a token. The alignment of table cells is one of its own: no style attribute leaves the renderer. */
export function attributesOfToken({ type, attrs }: Token): AttributeList | null {
  if (attrs === null || (type !== 'th_open' && type !== 'td_open')) return attrs
  return attrs.map(([name, value]) =>
    name === 'style' ? ['align', String(value).replace('text-align:', '')] : [name, value],
  )
}

/** The attributes of an image, with its text. */
export function withAlt(token: Token): AttributeList {
  const alt = altOf(token.children ?? [])
  return (token.attrs ?? []).map(([name, value]) => [name, name === 'alt' ? alt : value])
}

/** Attributes with one more class. */
export function withClass(attributes: AttributeList | null, name: string): AttributeList {
  const own = attributes?.find(([attribute]) => attribute === 'class')?.[1]
  const others = attributes?.filter(([attribute]) => attribute !== 'class') ?? []
  return [...others, ['class', own === undefined ? name : `${own} ${name}`]]
}
