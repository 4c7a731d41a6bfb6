import { describe, expect, it } from 'vitest'
import { withCodeMirror } from '../support/code-mirror.ts'
import type { OpenPage } from '../support/open-page.ts'
import { openPreview, previewPane } from '../support/preview.ts'
import { useTestSite } from '../support/test-site.ts'

const SENTENCE = 'The quick brown fox jumps over the lazy dog and runs away from it all. '
const BLOCKS = Array.from({ length: 40 }, (_, index) => `## Head ${index}\n\ntext\n`).join('\n')
const TOO_LONG = 'This text is too long for a preview. Pages show it as plain text.'

describe('text and preview side by side, with a large block or text', () => {
  const site = useTestSite()

  const open = async (body: string): Promise<OpenPage> => {
    const opened = await site.open({ fields: { body } }, {})
    await opened.page.getByRole('tab', { name: 'Split' }).click()
    await previewPane(opened)
      .locator('> :not(p.md-editor-hint)')
      .first()
      .waitFor({ state: 'attached' })
    return opened
  }
  /** Returns the position of a word in the preview, as a fraction of the preview's height. */
  const placeOf = (opened: OpenPage, word: string): Promise<number | null> =>
    previewPane(opened).evaluate((pane, sought) => {
      const walker = document.createTreeWalker(pane, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const at = node.nodeValue?.indexOf(sought) ?? -1
        if (at === -1) continue
        const range = document.createRange()
        range.setStart(node, at)
        range.setEnd(node, at + sought.length)
        const { top, height } = pane.getBoundingClientRect()
        return (range.getBoundingClientRect().top - top) / height
      }
      return null
    }, word)
  const isInSight = async (opened: OpenPage, word: string): Promise<boolean> => {
    const place = await placeOf(opened, word)
    return place !== null && place >= 0 && place < 0.98
  }
  const scrollTop = (opened: OpenPage): Promise<number> =>
    previewPane(opened).evaluate((pane) => pane.scrollTop)

  it.each(['end', 'middle'])(
    'scroll to the words at the caret in a long paragraph: %s',
    async (where) => {
      const opened = await open(
        `${BLOCKS}\n${where === 'end' ? '' : `${SENTENCE.repeat(50)}\n\n${BLOCKS}`}`,
      )
      const place =
        where === 'end'
          ? (await opened.text.inputValue()).length
          : BLOCKS.length + 1 + SENTENCE.length * 25
      await opened.select(place, place)
      await opened.page.keyboard.insertText(`${where === 'end' ? SENTENCE.repeat(30) : ''}FIRST `)
      await expect.poll(() => isInSight(opened, 'FIRST')).toBe(true)
      const before = await scrollTop(opened)
      await opened.page.keyboard.type('NEXT ')
      await expect.poll(() => isInSight(opened, 'NEXT')).toBe(true)
      expect(Math.abs((await scrollTop(opened)) - before)).toBeLessThan(60)
    },
  )

  it('report that a text is too long instead of rendering it, even without a configured limit', async () => {
    const line = `${'- long '.repeat(1000)}\n`
    const opened = await site.open({ fields: { body: line.repeat(262_144 / line.length) } }, {})
    await withCodeMirror(opened)
    await openPreview(opened)
    const note = previewPane(opened).getByRole('note')
    await previewPane(opened).locator('li').first().waitFor()
    expect(await note.count()).toBe(0)
    await opened.page.locator('markdown-editor').evaluate((element, more) => {
      const editor = element as HTMLElement & { value: string }
      editor.value += more
    }, line)
    await note.waitFor()
    expect(await previewPane(opened).innerText()).toBe(TOO_LONG)
    await opened.page.locator('markdown-editor').evaluate((element, text) => {
      ;(element as HTMLElement & { value: string }).value = text
    }, line)
    await previewPane(opened).locator('li').first().waitFor()
    expect(await note.count()).toBe(0)
  })
})
