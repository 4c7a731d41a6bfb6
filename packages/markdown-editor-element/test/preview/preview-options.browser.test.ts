import { describe, expect, it } from 'vitest'
import { DefaultRenderer, defaultPolicy } from '../../../markdown/src/index.ts'
import { extendPolicy } from '../../../markdown/test/support/extend-policy.ts'
import { asShown, openPreview, previewPane, writeHidden } from '../support/preview.ts'
import { useTestSite } from '../support/test-site.ts'

const renderer = new DefaultRenderer({
  policy: extendPolicy({
    elements: { address: { attributes: { class: { tokens: ['card-*'] } } }, mark: null },
    schemes: { link: [...defaultPolicy.schemes.link, 'xmpp'] },
    linkRel: 'nofollow',
    idPrefix: 'text-',
  }),
  embedHosts: ['video.example'],
  alertTitles: { note: '„Hinweis“ <&"\'>' },
  maxLength: 500,
})
const text = [
  '# Head',
  '> [!NOTE]\n> one\n\n> [!TIP]\n> two',
  '<address class="card-a x">a ==b==</address>',
  '[a](xmpp:b@example.com), [c](https://example.com), [d](#head)',
  '<iframe src="https://video.example/1"></iframe>',
  'https://youtu.be/dQw4w9WgXcQ',
].join('\n\n')

const TOO_LONG = 'This text is too long for a preview. Pages show it as plain text.'

describe('the renderer options of the preview', () => {
  const site = useTestSite()

  it('produce the HTML of the server', async () => {
    const { embedHosts, ...renderOptions } = renderer.previewOptions
    const opened = await site.open(
      { fields: { body: text }, defaults: { embedHosts, renderOptions } },
      {},
    )
    await opened.page.route('https://video.example/**', (route) => route.abort())
    const shown = (): Promise<string> =>
      previewPane(opened).evaluate((element) => element.innerHTML.trim())
    await openPreview(opened)
    await previewPane(opened).locator('#text-head').waitFor()
    expect(await shown()).toBe(await asShown(opened.page, renderer.render(text)))
    for (const part of ['<address class="card-a">', 'Hinweis', 'video.example', 'href="xmpp:']) {
      expect(await shown()).toContain(part)
    }
    expect(renderer.render(text)).not.toBe(new DefaultRenderer().render(text))
    const long = '*long*\n'.repeat(100)
    await writeHidden(opened, long)
    expect(renderer.render(long)).toContain('*long*')
    await expect.poll(() => previewPane(opened).innerText()).toBe(TOO_LONG)
    opened.faults.length = 0 // The policy of the page allows no frames.
  })

  it('show a text unrendered if the pages have no parser', async () => {
    const plain = new DefaultRenderer({ markdownIt: null })
    const { embedHosts, ...renderOptions } = plain.previewOptions
    const opened = await site.open({
      fields: { body: '**a** <b>\n# c' },
      defaults: { embedHosts, renderOptions },
    })
    await openPreview(opened)
    await previewPane(opened).getByText('**a** <b>').waitFor()
    const shown = await previewPane(opened).evaluate((element) => element.innerHTML)
    expect(shown).toBe(await asShown(opened.page, plain.render('**a** <b>\n# c')))
  })

  it.each([
    ['en', 'The published page may look different.'],
    ['de', 'Die veröffentlichte Seite kann anders aussehen.'],
  ])(
    'are unknown for a renderer of the application, which the preview notes in %s',
    async (locale, note) => {
      const noteOf = async (widget: object): Promise<string> => {
        const opened = await site.open({
          fields: { body: '*a*' },
          widget,
          defaults: { previewDiffers: true },
        })
        await previewPane(opened).locator('em').waitFor()
        return previewPane(opened).evaluate(
          (element) => getComputedStyle(element, '::before').content,
        )
      }
      expect(await noteOf({ locale, mode: 'preview' })).toBe(`"${note}"`)
      expect(
        await noteOf({ locale, mode: 'preview', previewWorker: '/assets/preview.worker.js' }),
      ).toBe('none')
    },
  )

  it('are reported if their names are unknown, and the others apply', async () => {
    const opened = await site.open({ fields: { body: 'too long' } }, {})
    const warned = opened.page.waitForEvent('console', (message) =>
      message.text().includes('alertTitle, onMedium'),
    )
    await opened.page
      .locator('markdown-editor')
      .evaluate((e) =>
        e.setAttribute('render-options', '{"alertTitle":{},"onMedium":1,"maxLength":3}'),
      )
    await openPreview(opened)
    expect((await warned).type()).toBe('warning')
    await previewPane(opened).getByText(TOO_LONG).waitFor()
  })

  it.each(['{', 'null', '[]', '"x"'])(
    'are the defaults if the attribute is %s, which the console reports',
    async (json) => {
      const opened = await site.open({ fields: { body: '==a==' } }, {})
      const warned = opened.page.waitForEvent('console', (message) =>
        message.text().includes('"render-options"'),
      )
      await opened.page
        .locator('markdown-editor')
        .evaluate((e, value) => e.setAttribute('render-options', value), json)
      await openPreview(opened)
      expect((await warned).type()).toBe('warning')
      await previewPane(opened).locator('mark').waitFor()
    },
  )
})
