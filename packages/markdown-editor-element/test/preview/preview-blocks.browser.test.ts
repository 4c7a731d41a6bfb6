import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OpenPage } from '../support/open-page.ts'
import { asShown, openPreview, previewPane, useOwnWorker, writeHidden } from '../support/preview.ts'
import { useTestSite } from '../support/test-site.ts'

// A renderer whose text is a list of HTML blocks, one per line. The number in the first line is the
// number of unchanged blocks that each patch also replaces.
const BLOCKS = `
class Blocks {
  #old = []
  update(text) {
    const [slack, ...parts] = text.split('\\n')
    const fresh = parts.map((part) => part.replaceAll('¶', '\\n'))
    const most = Math.min(this.#old.length, fresh.length)
    let start = 0
    while (start < most && this.#old[start] === fresh[start]) start++
    let end = 0
    while (end < most - start && this.#old.at(-1 - end) === fresh.at(-1 - end)) end++
    start = Math.max(0, start - Number(slack))
    end = Math.max(0, end - Number(slack))
    const removed = this.#old.length - start - end
    this.#old = fresh
    const blocks = fresh.slice(start, fresh.length - end).map((html) => ({ html, line: 0 }))
    return { start, removed, blocks, lineShift: 0 }
  }
}
export default servePreview(() => new Blocks())`

const blockTexts = fc.array(
  fc.constantFrom(
    ...[
      '',
      '',
      '<p>a</p>¶',
      '<p>b</p>¶<p>c</p>¶',
      'text',
      'text &amp; <b>more</b>',
      '¶',
      '<hr>¶',
      '<pre>¶x</pre>',
    ],
    ...[
      '<p><a href="#user-content-x">in</a> <a href="https://example.org/" rel="nofollow">out</a></p>',
    ],
    ...['<h2 id="user-content-x">x</h2>¶', '<table><tbody><tr><td>1</td></tr></tbody></table>¶'],
  ),
  { maxLength: 12 },
)
const slacks = fc.nat(3)

describe('the blocks of a preview', () => {
  const site = useTestSite()

  const open = async (...blocks: string[]): Promise<OpenPage> => {
    const opened = await site.open({ fields: { body: ['0', ...blocks].join('\n') } }, {})
    await useOwnWorker(opened.page, BLOCKS)
    await openPreview(opened)
    await expect.poll(() => html(opened)).toBe(blocks.join(''))
    return opened
  }
  const write = async (opened: OpenPage, ...blocks: string[]): Promise<void> => {
    await writeHidden(opened, ['0', ...blocks].join('\n'))
    await expect.poll(() => html(opened)).toBe(await asShown(opened.page, blocks.join('')))
  }
  /** Returns the HTML of the blocks, without the containers that large previews have. */
  const html = (opened: OpenPage): Promise<string> =>
    previewPane(opened).evaluate((element) => {
      const isPart = (node: Node): boolean =>
        node instanceof Element && node.className === 'md-editor-part'
      if (![...element.childNodes].every(isPart)) return element.innerHTML
      return [...element.children].map(({ innerHTML }) => innerHTML).join('')
    })

  it('equal those of a new rendering, after any changes', { timeout: 60_000 }, async () => {
    const opened = await open('<p>first</p>')
    await previewPane(opened).getByText('first').waitFor()
    const nothing = '<p class="md-editor-hint">Nothing to preview</p>'
    await fc.assert(
      fc.asyncProperty(blockTexts, slacks, async (blocks, slack) => {
        await writeHidden(opened, [slack, ...blocks].join('\n'))
        const whole = blocks.join('').replaceAll('¶', '\n')
        const expected = whole === '' ? nothing : await asShown(opened.page, whole)
        await expect.poll(() => html(opened), { interval: 2 }).toBe(expected)
      }),
      { numRuns: 150 },
    )
  })

  it('keep their elements and their state while others change', async () => {
    const details = '<details><summary>more</summary>text</details>'
    const image = '<p><img src="/media/a.png" alt="a"></p>'
    const opened = await open('<p>zero</p>')
    let images = 0
    opened.page.on('request', (request) => {
      if (request.url().endsWith('/a.png')) images++
    })
    await write(opened, '<p>one</p>', details, image, '<p>two</p>')
    const pane = previewPane(opened)
    await pane.getByText('more').click()
    await pane.evaluate((element) => {
      const scope = globalThis as unknown as { kept: ChildNode[]; moved: Node[] }
      scope.kept = [...element.childNodes].slice(1, 3)
      scope.moved = []
      new MutationObserver((records) => {
        scope.moved.push(...records.flatMap(({ removedNodes }) => [...removedNodes]))
      }).observe(element, { childList: true })
    })
    const isOpen = (): Promise<boolean> =>
      pane.locator('details').evaluate((element: HTMLDetailsElement) => element.open)
    const change = async (...blocks: string[]): Promise<void> => {
      await writeHidden(opened, ['1', ...blocks].join('\n'))
      await pane.getByText(blocks.at(-1)?.replace(/<[^>]*>/g, '') ?? '').waitFor()
    }
    await change('<p>new</p>', '<h1>more of it</h1>', details, image, '<p>end</p>')
    await change(details, image, '<p>last</p>')
    expect(await isOpen()).toBe(true)
    const moved = await opened.page.evaluate(() => {
      const { kept, moved } = globalThis as unknown as { kept: ChildNode[]; moved: Node[] }
      return kept.some((node) => moved.includes(node) || !node.isConnected)
    })
    expect(moved).toBe(false)
    expect(images).toBe(1)
  })

  it('keep their scroll position', async () => {
    const many = Array.from({ length: 100 }, (_, index) => `<p>line ${index}</p>`)
    const opened = await open(...many)
    const pane = previewPane(opened)
    await pane.getByText('line 99').waitFor()
    await opened.page.evaluate(() => {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync('.md-editor-preview { height: 200px; overflow: auto }')
      document.adoptedStyleSheets = [sheet]
    })
    const scroll = (): Promise<number> => pane.evaluate((element) => element.scrollTop)
    await pane.evaluate((element) => element.scrollTo(0, 1e6))
    const bottom = await scroll()
    await write(opened, ...many.slice(0, -1), '<p>the end</p>')
    expect(await scroll()).toBe(bottom)
    await write(opened, ...many.map((html) => html.replace('line', 'part')))
    expect(await scroll()).toBe(bottom)
  })

  describe('in large numbers', () => {
    const many = Array.from({ length: 6_000 }, (_, index) => `<p>line <b>${index}</b></p>`)

    /**
     * Opens an editor and its preview. As soon as the first blocks are shown, sets the text `then`.
     * For `remove`, removes the editor instead. For `''`, changes nothing.
     */
    const openMany = async (blocks: readonly string[], then: string): Promise<OpenPage> => {
      const opened = await site.open({ fields: { body: ['0', ...blocks].join('\n') } }, {})
      await useOwnWorker(opened.page, BLOCKS)
      await previewPane(opened).evaluate((element, next) => {
        const scope = globalThis as unknown as { slices: string[][] }
        scope.slices = []
        new MutationObserver((records, observer) => {
          const added = records.flatMap(({ addedNodes }) => [...addedNodes])
          const texts = added
            .filter((node) => node.nodeName === 'P')
            .map(({ textContent }) => textContent ?? '')
          if (!texts[0]?.startsWith('line')) return
          scope.slices.push(texts)
          if (next === '' || scope.slices.length > 1) return
          observer.disconnect()
          const field = document.querySelector('textarea')
          if (next === 'remove' || field === null) return element.parentElement?.remove()
          field.value = next
          field.dispatchEvent(new Event('input', { bubbles: true }))
        }).observe(element, { childList: true, subtree: true })
      }, then)
      await openPreview(opened)
      return opened
    }
    const slices = ({ page }: OpenPage): Promise<string[][]> =>
      page.evaluate(() => (globalThis as unknown as { slices: string[][] }).slices)

    it('are inserted in slices, from the first to the last', async () => {
      const opened = await openMany(many, '')
      await previewPane(opened).getByText('line 5999').waitFor()
      expect(await html(opened)).toBe(many.join(''))
      const shown = await slices(opened)
      expect(shown.length).toBeGreaterThan(1)
      expect(shown.flat()).toEqual(many.map((_, index) => `line ${index}`))
    })

    it('are replaced by a newer text that arrives in between', async () => {
      const newer = [
        ...many.slice(3_000, 3_050),
        '<h1>new</h1>',
        ...many.slice(10, 20),
        '<p>end</p>',
      ]
      const opened = await openMany(many, ['0', ...newer].join('\n'))
      await previewPane(opened).getByText('end').waitFor()
      await expect.poll(() => html(opened)).toBe(newer.join(''))
      await write(opened, ...many.toReversed().slice(0, 3_000))
    })

    it('are correct after small changes', async () => {
      const some = many.slice(0, 400)
      const opened = await openMany(some, '')
      await previewPane(opened).getByText('line 399').waitFor()
      await write(opened, ...some.slice(0, 30), '<p>new</p>', ...some.slice(110))
      await write(opened, '<p>start</p>', ...some.slice(100, 300), '<p>end</p>')
      await write(opened, ...some.slice(200, 250), '<p>end</p>')
      await writeHidden(opened, '0')
      await expect.poll(() => previewPane(opened).innerText()).toBe('Nothing to preview')
      await write(opened, ...some.slice(0, 20))
    })

    it('are not inserted after the editor is removed', async () => {
      const opened = await openMany(many, 'remove')
      await expect.poll(() => opened.page.locator('markdown-editor').count()).toBe(0)
      await expect.poll(() => opened.page.workers().length).toBe(0)
    })

    it('are complete even if a script changes the page in between', async () => {
      const opened = await site.open({ fields: { body: ['0', ...many].join('\n') } }, {})
      await useOwnWorker(opened.page, BLOCKS)
      await previewPane(opened).evaluate((element) => {
        new MutationObserver((_, observer) => {
          if (element.childElementCount < 3) return
          observer.disconnect()
          element.replaceChildren('gone')
        }).observe(element, { childList: true })
      })
      await openPreview(opened)
      await expect.poll(() => html(opened), { timeout: 10_000 }).toBe(many.join(''))
    })
  })

  it('are rendered again after a script has changed the page', async () => {
    const opened = await open('one', '<p>two</p>', 'three')
    await expect.poll(() => html(opened)).toBe('one<p>two</p>three')
    // Translation tools wrap nodes in this way.
    await previewPane(opened).evaluate((element) => {
      for (const node of [...element.childNodes]) {
        const wrapper = document.createElement('font')
        node.replaceWith(wrapper)
        wrapper.append(node)
      }
    })
    await write(opened, 'one', '<p>2</p>', 'three')
  })
})
