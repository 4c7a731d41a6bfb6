import fc from 'fast-check'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { DEFAULT_HIGHLIGHT_LANGUAGES } from '../../../markdown/src/highlighting/highlight-languages.ts'
import { DefaultRenderer } from '../../../markdown/src/index.ts'
import { findHighlighter } from '../../../markdown/src/node/find-highlighter.ts'
import { assembleCorpus } from '../../../markdown/test/attacks/corpus.ts'
import { commonmark, gfm, github } from '../../../markdown/test/conformance/examples.ts'
import { SAMPLES } from '../../../markdown/test/highlighting/samples.ts'
import { asShown, openPreview, previewPane, writeHidden } from '../support/preview.ts'
import { useTestSite } from '../support/test-site.ts'

const languages = DEFAULT_HIGHLIGHT_LANGUAGES
const renderer = new DefaultRenderer({ highlight: findHighlighter(languages) })

const examples = [...commonmark, ...gfm, ...github].map(({ markdown }) => markdown)
const codes = languages.map(
  (name) => `\`\`\`${name}\nlet a = "b" // c\n<p class="d">if (e) return 1</p>\n\`\`\`\n`,
)

/** Renders texts one after the other in one document, and assembles the patches. */
async function renderInWorker(page: Page, texts: readonly string[]): Promise<string[]> {
  // JSON escapes lone surrogates. Without JSON, they would not reach the page.
  const answer = await page.evaluate(
    async ([json, names]) => {
      const scope = globalThis as unknown as Record<
        symbol,
        { createScriptURL(url: string): string }
      >
      const url = new URL('/assets/preview.worker.js', location.href).href
      const trusted = scope[Symbol.for('quillgate.trusted-types')]?.createScriptURL(url) ?? url
      const worker = new Worker(trusted, { type: 'module' })
      interface Patch {
        start: number
        removed: number
        blocks: { html: string }[]
      }
      const texts: string[] = JSON.parse(json)
      const results: string[] = []
      const blocks: string[] = []
      const settings = { highlightLanguages: names }
      await new Promise((resolve) => {
        worker.onmessage = ({ data }: MessageEvent<{ type: string; patch: Patch }>) => {
          if (data.type === 'patch') {
            const { start, removed, blocks: fresh } = data.patch
            blocks.splice(start, removed, ...fresh.map(({ html }) => html))
            results.push(blocks.join('').trim())
          }
          if (results.length === texts.length) resolve(null)
          else if (data.type === 'ready') worker.postMessage({ settings, text: texts[0] })
          else if (data.type === 'patch') worker.postMessage({ text: texts[results.length] })
        }
      })
      worker.terminate()
      return JSON.stringify(results)
    },
    [JSON.stringify(texts), languages] as const,
  )
  return JSON.parse(answer)
}

describe('the HTML of the preview and of the server', () => {
  const site = useTestSite()

  const openPage = async (): Promise<Page> => {
    const opened = await site.open({ fields: { body: 'x' } })
    await openPreview(opened)
    await previewPane(opened).getByText('x').waitFor()
    return opened.page
  }

  it('is the same for all examples of the specifications, and for code in each language', async () => {
    const page = await openPage()
    const texts = [...examples, ...codes]
    expect(texts.length).toBeGreaterThan(700)
    expect(await renderInWorker(page, texts)).toEqual(texts.map((text) => renderer.render(text)))
    expect(renderer.render(codes.join('\n')).match(/<span class="hljs-/g)?.length).toBeGreaterThan(
      languages.length,
    )
  })

  it('is the same for each language; all languages are loaded with the first code', async () => {
    const page = await openPage()
    const loaded = new Set<string>()
    page.context().on('request', (request) => {
      const [, file = ''] =
        /([\w.-]+?)(?:-[0-9a-z]{8})?\.js$/.exec(new URL(request.url()).pathname) ?? []
      loaded.add(file)
    })
    const loadedLanguages = (): string[] => languages.filter((name) => loaded.has(name))
    await renderInWorker(page, ['text', '    indented'])
    expect(loadedLanguages()).toEqual([])
    for (const name of languages) {
      const text = `> text\n>\n> ~~~ ${name}\n${SAMPLES[name].replace(/^/gm, '> ')}\n> ~~~\n`
      loaded.clear()
      expect(await renderInWorker(page, ['text', text])).toEqual(
        ['text', text].map((each) => renderer.render(each)),
      )
      expect(loadedLanguages()).toEqual(languages)
    }
  })

  it('is the same for hostile texts', { timeout: 120_000 }, async () => {
    const page = await openPage()
    const corpus = assembleCorpus().map(({ markdown }) => markdown)
    for (let index = 0; index < corpus.length; index += 2_000) {
      const texts = corpus.slice(index, index + 2_000)
      const previews = renderInWorker(page, texts)
      const pages = texts.map((text) => renderer.render(text))
      expect(await previews).toEqual(pages)
    }
  })

  // The URL parsers of Node and Chromium return different results for these URLs.
  it('is the same for links to invalid hosts', async () => {
    const page = await openPage()
    const texts = ['a b', '%20', 'a\u00a8', 'xn--a', '\u0661'].map(
      (host) => `<a href="http://${host}/">a</a>`,
    )
    expect(await renderInWorker(page, texts)).toEqual(texts.map((text) => renderer.render(text)))
  })

  it('is the same after any edits, even with the renderer on the page', {
    timeout: 120_000,
  }, async () => {
    const opened = await site.open({ fields: { body: 'x' } })
    await opened.page
      .locator('markdown-editor')
      .evaluate(
        (editor, names) => editor.setAttribute('highlight-languages', names),
        languages.join(' '),
      )
    await openPreview(opened)
    const shown = (): Promise<string> =>
      previewPane(opened).evaluate((element) => element.innerHTML.trim())
    let text = examples.slice(0, 60).join('\n\n')
    const edits = fc.record({
      at: fc.nat(),
      remove: fc.oneof(fc.constant(0), fc.nat(20), fc.nat(400)),
      insert: fc.oneof(
        fc.constantFrom(...examples, ...codes),
        fc.string({ maxLength: 5 }),
        fc.constantFrom('\n', '>', '# '),
      ),
    })
    await fc.assert(
      fc.asyncProperty(edits, async ({ at, remove, insert }) => {
        const start = at % (text.length + 1)
        text = text.slice(0, start) + insert + text.slice(start + remove)
        if (text.length > 12_000) text = text.slice(6_000)
        await writeHidden(opened, text)
        const html = renderer.render(text) || '<p class="md-editor-hint">Nothing to preview</p>'
        await expect
          .poll(shown, { interval: 5, timeout: 10_000 })
          .toBe(await asShown(opened.page, html))
      }),
      { numRuns: 150, endOnFailure: true },
    )
  })
})
