import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import {
  parseFragment,
  type DefaultTreeAdapterTypes as Tree,
  defaultTreeAdapter as tree,
} from 'parse5'
import { describe, expect, it } from 'vitest'
import type { AttributeRule, RenderPolicy } from '../../src/policy/policy.ts'
import { MarkdownRenderer } from '../../src/renderer/markdown-renderer.ts'
import { addressContexts } from '../attacks/contexts.ts'
import { readPayloads } from '../attacks/payloads.ts'
import { extendPolicy, type PolicyExtension } from '../support/extend-policy.ts'

describe('any policy that extendPolicy accepts', () => {
  const elementNames = (
    'p a b div span img video iframe input label center font marquee dialog slot picture area col track map image nobr ' +
    'listing fieldset output menu script style svg math form button object embed base meta link template constructor'
  ).split(' ')
  const attributeNames = (
    'href src cite poster class title id width type target tabindex data-x hidden background ping data color role download ' +
    'srcset srcdoc style onclick onerror onload name action formaction form for is constructor'
  ).split(' ')
  const rule = fc.oneof(
    fc.constantFrom<AttributeRule[]>(
      'text',
      'flag',
      'number',
      'span',
      'length',
      'id',
      'link',
      'media',
    ),
    fc.constantFrom<AttributeRule[]>(
      { oneOf: ['a', 'javascript:alert(1)', '_blank', 'image', 'submit'] },
      { tokens: ['a*', '*'] },
    ),
  )
  const attributes = fc.dictionary(fc.constantFrom(...attributeNames), rule, { maxKeys: 2 })
  const isVoid = (name: string) => /^(img|input|area|col|track|embed|base|meta|link)$/.test(name)
  const elements = fc
    .array(fc.tuple(fc.constantFrom(...elementNames), attributes), { maxLength: 2 })
    .map((entries) =>
      Object.fromEntries(
        entries.map(([name, own]) => [
          name,
          { attributes: own, ...(isVoid(name) && { void: true as const }) },
        ]),
      ),
    )
  const scheme = fc.constantFrom('xmpp', 'ftp', 'sms', 'javascript', 'data', 'blob')
  const extension: fc.Arbitrary<PolicyExtension> = fc.record(
    {
      elements,
      globalAttributes: attributes,
      schemes: fc.record({
        link: fc.array(scheme, { maxLength: 1 }),
        media: fc.array(scheme, { maxLength: 1 }),
      }),
      linkRel: fc.constantFrom('', 'ugc', '"><script>alert(1)</script>'),
      idPrefix: fc.constantFrom('x-', 'user-content-', 'x'),
      maxDepth: fc.constantFrom(1, 50, 500),
    },
    { requiredKeys: [] },
  )
  const attacks = [
    ...['scripts', 'fragments', 'attributes', 'mutation', 'styles'].flatMap(readPayloads),
    ...readPayloads('events').flatMap((event) => [
      `<p ${event}=alert(1)>a</p>`,
      `a <img src=x ${event}=alert(1)>`,
    ]),
    ...readPayloads('urls').flatMap((url) => Object.values(addressContexts).map((put) => put(url))),
    ...elementNames.flatMap((name) =>
      attributeNames.map(
        (attribute) => `a <${name} ${attribute}="javascript:alert(1)" type=submit>b</${name}>`,
      ),
    ),
  ]

  it('allows no script, handler, form or dangerous URL in hostile texts', {
    timeout: 60_000,
  }, () => {
    let accepted = 0
    fc.assert(
      fc.property(extension, fc.nat(attacks.length), (changes, first) => {
        const policy = accept(changes)
        if (policy === null) return
        accepted++
        const renderer = new MarkdownRenderer({ markdownIt: MarkdownIt, policy })
        for (let step = 0; step < 60; step++) {
          const attack = attacks[(first + step * 97) % attacks.length] ?? ''
          expect(findDangers(renderer.render(attack)), attack).toEqual([])
        }
      }),
      { numRuns: 1500 },
    )
    expect(accepted).toBeGreaterThan(50)
  })
})

function accept(changes: PolicyExtension): RenderPolicy | null {
  try {
    return extendPolicy(changes)
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

const dangerousElements =
  /^(script|style|svg|math|object|embed|applet|frame|base|meta|link|form|button|select|textarea|template|noscript)$/
const urlAttributes =
  /^(href|src|cite|poster|action|formaction|data|background|ping|srcdoc|srcset)$/

function findDangers(html: string): string[] {
  const dangersOf = (parent: Tree.ParentNode): string[] =>
    parent.childNodes.filter(tree.isElementNode).flatMap(({ tagName, attrs, ...element }) => {
      const dangers = attrs
        .filter(({ name, value }) => isDangerous(tagName, name, value))
        .map(({ name }) => `${tagName}[${name}]`)
      return [
        ...(dangerousElements.test(tagName) ? [tagName] : []),
        ...dangers,
        ...dangersOf(element as Tree.Element),
      ]
    })
  return dangersOf(parseFragment(html))
}

function isDangerous(element: string, name: string, value: string): boolean {
  if (/^on|^(style|srcdoc|srcset|form|formaction|action|name|is|for)$/.test(name)) return true
  if (element === 'input' && name === 'type' && value !== 'checkbox') return true
  if (!urlAttributes.test(name)) return false
  const protocol = URL.parse(value, 'https://page.example/')?.protocol ?? 'https:'
  return !/^(https?|mailto|tel|xmpp|ftp|sms):$/.test(protocol)
}
