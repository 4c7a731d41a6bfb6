import { describe, expect, it } from 'vitest'
import type { MarkdownRendererOptions } from '../../src/index.ts'
import { createRenderer, REL } from '../support/create-renderer.ts'
import { extendPolicy } from '../support/extend-policy.ts'

describe('a policy without frames', () => {
  const policy = extendPolicy({ elements: { iframe: null } })

  it('keeps the address of a video as a link', () => {
    const page = 'https://youtu.be/dQw4w9WgXcQ'
    expect(createRenderer({ policy }).render(`${page}\n\nb`)).toBe(
      `<p><a href="${page}" ${REL}>${page}</a></p>\n<p>b</p>`,
    )
    const frame = 'https://player.vimeo.com/video/1'
    for (const embedHosts of [undefined, ['player.vimeo.com']]) {
      expect(
        createRenderer({ policy, ...(embedHosts && { embedHosts }) }).render(
          `<iframe src="${frame}"></iframe>`,
        ),
      ).toBe(`<a href="${frame}" ${REL}>${frame}</a>`)
    }
  })
})

describe('embedHosts', () => {
  it('replace those of the policy', () => {
    const policy = extendPolicy({
      embeds: [{ host: 'a.example', name: 'A', sandbox: 'allow-scripts' }],
    })
    const frames = (options: MarkdownRendererOptions): number =>
      createRenderer(options)
        .render(
          '<iframe src="https://a.example/b"></iframe> <iframe src="https://c.example/d"></iframe>',
        )
        .split('<iframe').length - 1
    expect([frames({}), frames({ policy }), frames({ policy, embedHosts: ['c.example'] })]).toEqual(
      [0, 1, 1],
    )
  })

  it('apply to addresses on their own line too', () => {
    const page = 'https://youtu.be/dQw4w9WgXcQ'
    expect(createRenderer({ embedHosts: ['www.youtube.com'] }).render(page)).toContain(
      'src="https://www.youtube.com/embed/',
    )
    expect(createRenderer({ embedHosts: [] }).render(page)).toMatch(/^<p><a /)
  })
})
