import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { checkPolicy } from '../../src/policy/check-policy.ts'
import { defaultPolicy } from '../../src/policy/default-policy.ts'
import type { AttributeRule, RenderPolicy } from '../../src/policy/policy.ts'
import { MarkdownRenderer } from '../../src/renderer/markdown-renderer.ts'
import { extendPolicy, type PolicyExtension } from '../support/extend-policy.ts'

const render = (policy: RenderPolicy, markdown: string): string =>
  new MarkdownRenderer({ markdownIt: MarkdownIt, policy }).render(markdown)
const withAttributes = (element: string, attributes: Record<string, unknown>): PolicyExtension => ({
  elements: { [element]: { attributes: attributes as Record<string, AttributeRule> } },
})
const embed = { host: 'a.example', name: 'A', sandbox: 'allow-scripts' }

describe('a policy of the application', () => {
  it('adds elements and attributes to the existing ones', () => {
    const policy = extendPolicy({
      elements: { center: {}, p: { attributes: { 'data-x': 'text' } } },
      globalAttributes: { hidden: 'flag' },
    })
    expect(render(policy, '<center hidden>a</center>')).toBe('<center hidden>a</center>')
    expect(render(policy, '<p data-x="b" align="left">a</p>')).toBe(
      '<p data-x="b" align="left">a</p>',
    )
  })

  it('joins lists of tokens, and replaces other rules', () => {
    const policy = extendPolicy(
      withAttributes('p', { class: { tokens: ['wide'] }, align: { oneOf: ['justify'] } }),
    )
    expect(render(policy, '<p class="wide markdown-alert-title b" align="justify">a</p>')).toBe(
      '<p class="wide markdown-alert-title" align="justify">a</p>',
    )
    expect(render(policy, '<p align="left">a</p>')).toBe('<p>a</p>')
  })

  it('removes elements and global attributes', () => {
    const policy = extendPolicy({
      elements: { kbd: null, img: null, nope: null },
      globalAttributes: { title: null },
    })
    expect(render(policy, '<kbd>a</kbd> ![b](/c) <b title="d" lang="e">f</b>')).toBe(
      '<p>a  <b lang="e">f</b></p>',
    )
  })

  it('removes attributes of an element, and replaces schemes', () => {
    const policy = extendPolicy({
      elements: {
        img: { attributes: { width: null, nope: null } },
        center: { attributes: { title: null } },
      },
      schemes: { link: ['https', 'mailto'], media: ['https'] },
    })
    expect(render(policy, '<img src="/a" width="5" height="6">')).toBe('<img src="/a" height="6">')
    expect(policy.schemes).toEqual({ link: ['https', 'mailto'], media: ['https'] })
    expect(render(policy, '[a](http://b.example) ![c](http://d.example/e)')).toBe(
      '<p><a>a</a> <img alt="c"></p>',
    )
  })

  it('adds a frame with an empty sandbox, the strictest one', () => {
    const policy = extendPolicy({ embeds: [{ ...embed, sandbox: '' }] })
    expect(render(policy, '<iframe src="https://a.example/b"></iframe>')).toMatch(
      /^<iframe src="https:\/\/a.example\/b" title="A embed" sandbox="" .*><\/iframe>$/,
    )
  })

  it('replaces schemes of links alone, and the hosts of frames', () => {
    const policy = extendPolicy({
      schemes: { link: [...defaultPolicy.schemes.link, 'xmpp'] },
      embeds: [
        embed,
        { host: 'player.vimeo.com', name: 'V', path: '/a|/b', sandbox: 'allow-popups' },
      ],
    })
    expect(policy.schemes).toEqual({
      link: ['http', 'https', 'mailto', 'tel', 'xmpp'],
      media: ['http', 'https'],
    })
    expect(render(policy, '[a](xmpp:b) ![c](xmpp:d)')).toBe(
      '<p><a href="xmpp:b" rel="nofollow ugc noopener">a</a> <img alt="c"></p>',
    )
    const frame = (url: string) => render(policy, `<iframe src="${url}"></iframe>`).split(' ')[0]
    expect(
      ['a', 'b', 'a/c', 'c/b', 'video/1'].map((path) => frame(`https://player.vimeo.com/${path}`)),
    ).toEqual([...['<iframe', '<iframe', '<a', '<a', '<a']])
    expect(frame('https://a.example/any')).toBe('<iframe')
  })

  it('changes the rest', () => {
    const policy = extendPolicy({ linkRel: 'ugc', idPrefix: 'text-', maxDepth: 2 })
    expect(render(policy, '# a\n\n[b](/c) > d')).toBe(
      '<h1 id="text-a">a</h1>\n<p><a href="/c" rel="ugc">b</a> &gt; d</p>',
    )
    expect(render(policy, '> > > a')).toBe(
      '<blockquote>\n<blockquote>\n\na\n\n</blockquote>\n</blockquote>',
    )
  })
})

describe('a policy that is not safe', () => {
  const hostile: readonly [what: string, extension: PolicyExtension][] = [
    ...'script style svg math template textarea title xmp object embed applet frame base meta link html body'
      .split(' ')
      .map((name): [string, PolicyExtension] => [
        `the element ${name}`,
        { elements: { [name]: {} } },
      ]),
    ...'form button select option'.split(' ').map((name): [string, PolicyExtension] => {
      return [`the element ${name}`, { elements: { [name]: {} } }]
    }),
    ...['SCRIPT', 'x-y', '__proto__', 'a b', '', 'a>'].map((name): [string, PolicyExtension] => {
      return [
        `the element ${JSON.stringify(name)}`,
        { elements: JSON.parse(`{${JSON.stringify(name)}:{}}`) },
      ]
    }),
    ...'onclick onx style srcdoc srcset name is http-equiv form formaction action for ONCLICK __proto__ a:b'
      .split(' ')
      .flatMap((name): [string, PolicyExtension][] => {
        const attributes = JSON.parse(`{"${name}":"link"}`)
        return [
          [`the attribute ${name}`, withAttributes('p', attributes)],
          [`the attribute ${name} everywhere`, { globalAttributes: attributes }],
        ]
      }),
    ...'href src cite poster data background ping'
      .split(' ')
      .map((name): [string, PolicyExtension] => {
        return [`${name} as text`, withAttributes('a', { [name]: 'text' })]
      }),
    ['href as tokens', withAttributes('a', { href: { tokens: ['*'] } })],
    ['ids of the page', withAttributes('p', { id: 'text' })],
    ...[
      'javascript',
      'data',
      'vbscript',
      'blob',
      'file',
      'JavaScript',
      'javascript:',
      ' data',
      '',
    ].map((scheme): [string, PolicyExtension] => [
      `the scheme ${JSON.stringify(scheme)}`,
      { schemes: { link: [scheme] } },
    ]),
    ...['', 'a', '-', '1-', 'a b-', 'a"-', 'user-content-\n'].map(
      (idPrefix): [string, PolicyExtension] => {
        return [`the idPrefix ${JSON.stringify(idPrefix)}`, { idPrefix }]
      },
    ),
    ...['', 'https://a.example', 'a.example/b', 'A.example', 'a@b.example', 'a b', '*'].map(
      (host): [string, PolicyExtension] => [
        `the host ${JSON.stringify(host)}`,
        { embeds: [{ ...embed, host }] },
      ],
    ),
    ...['allow-top-navigation', 'allow-scripts allow-top-navigation-by-user-activation', 'a'].map(
      (sandbox): [string, PolicyExtension] => [
        `the sandbox ${sandbox}`,
        { embeds: [{ ...embed, sandbox }] },
      ],
    ),
    ['an input for text', withAttributes('input', { type: { oneOf: ['text'] } })],
    ['an input for anything', withAttributes('input', { type: 'text' })],
    ['an input without a type', { elements: { input: { requires: ['disabled'] } } }],
    ...[[], ['src'], ['sandbox']].map((requires): [string, PolicyExtension] => {
      return [
        `a frame that needs ${requires.join() || 'nothing'}`,
        { elements: { iframe: { requires } } },
      ]
    }),
    ...['flag', null, { oneOf: ['allow-scripts'] }].map((sandbox): [string, PolicyExtension] => {
      return [
        `a frame with the sandbox ${JSON.stringify(sandbox)}`,
        withAttributes('iframe', { sandbox }),
      ]
    }),
    ...['link', null].map((src): [string, PolicyExtension] => {
      return [`a frame with the address ${src}`, withAttributes('iframe', { src })]
    }),
  ]

  it.each(hostile)('throws a TypeError: %s', (_, extension) => {
    expect(() => extendPolicy(extension)).toThrow(/^The option "policy" allows /)
    expect(() => extendPolicy(extension)).toThrow(TypeError)
  })

  it.each<[string, unknown, RegExp]>([
    ['a void element without void: true', { elements: { col: {} } }, /void: true .* "col"/],
    [
      'void: true for an element that is not void',
      { elements: { center: { void: true } } },
      /void: true .* "center"/,
    ],
    ['an unknown rule', withAttributes('p', { a: 'url' }), /unknown rule for "a" on "p"/],
    ['no rule', withAttributes('center', { a: undefined }), /unknown rule for "a" on "center"/],
    [
      'a rule without a list',
      { globalAttributes: { a: { oneOf: 'b' } } },
      /unknown rule for "a" on every element/,
    ],
    ['an object without a rule', { globalAttributes: { a: {} } }, /unknown rule/],
    ['a list with a number', { globalAttributes: { a: { tokens: [5] } } }, /unknown rule for "a"/],
    [
      'a value in upper case',
      withAttributes('p', { a: { oneOf: ['Polite'] } }),
      /"a" on "p" .*lower case/,
    ],
    [
      'a sandbox that is not a string',
      { embeds: [{ ...embed, sandbox: undefined }] },
      /sandbox of "a.example"/,
    ],
    [
      'a path that is not a regular expression',
      { embeds: [{ ...embed, path: '(' }] },
      /invalid path for "a.example". Invalid regular expression/,
    ],
    ['a linkRel that is not a string', { linkRel: 5 }, /linkRel/],
    ...[0, -1, 1.5, 501, Number.NaN, Number.POSITIVE_INFINITY, '9'].map(
      (maxDepth): [string, unknown, RegExp] => {
        return [`the maxDepth ${maxDepth}`, { maxDepth }, /maxDepth .* from 1 to 500/]
      },
    ),
  ])('throws a TypeError that names the problem: %s', (_, extension, message) => {
    const extend = () => extendPolicy(extension as PolicyExtension)
    expect(extend).toThrow(TypeError)
    expect(extend).toThrow(message)
  })

  it('is also rejected by the renderer', () => {
    const policy = { ...defaultPolicy, elements: { ...defaultPolicy.elements, script: {} } }
    expect(() => checkPolicy(policy)).toThrow(TypeError)
    expect(() => new MarkdownRenderer({ policy })).toThrow(/"policy" allows the element "script"/)
    expect(() => checkPolicy(defaultPolicy)).not.toThrow()
  })
})
