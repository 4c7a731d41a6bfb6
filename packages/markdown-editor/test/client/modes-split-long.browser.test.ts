import { describe, expect, it } from 'vitest'
import { withCodeMirror } from './support/code-mirror.ts'
import type { OpenPage } from './support/open-page.ts'
import { openPreview, previewPane } from './support/preview.ts'
import { useTestSite } from './support/test-site.ts'

// Parts of different length: what is guessed by their share of the text is wrong.
const UNRENDERED = [
  ...Array.from({ length: 60 }, (_, index) => `## Short ${index}\n\n- a\n- b\n`),
  ...Array.from({ length: 20 }, (_, index) => `## Long ${index}\n\n${'words that go on '.repeat(60)}\n`),
].join('\n')
const SENTENCE = 'The quick brown fox jumps over the lazy dog and runs away from it all. '
const BLOCKS = Array.from({ length: 40 }, (_, index) => `## Head ${index}\n\ntext\n`).join('\n')
const TOO_LONG = 'This text is too long to be rendered here. It is shown as it is.'

describe('text and preview side by side, where a block is larger than its pane', () => {
  const site = useTestSite()

  const open = async (body: string, maxLength?: number): Promise<OpenPage> => {
    const renderOptions = maxLength === undefined ? {} : { maxLength }
    const opened = await site.open({ fields: { body }, defaults: { renderOptions } }, {})
    await opened.page.getByRole('tab', { name: 'Split' }).click()
    await previewPane(opened).locator('> :not(p.md-editor-hint)').first().waitFor({ state: 'attached' })
    return opened
  }
  /** How far a word is below the upper edge of the preview, as a share of its height. */
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
  const scrollTop = (opened: OpenPage): Promise<number> => previewPane(opened).evaluate((pane) => pane.scrollTop)

  it('brings the end of a text that is not rendered into sight, and stays there while someone types', async () => {
    const opened = await open(UNRENDERED, 1000)
    await opened.text.press('Control+End')
    await expect.poll(() => scrollTop(opened)).toBeGreaterThan(1000)
    for (const word of ['Aa', 'Bb']) {
      await opened.page.keyboard.type(word)
      await expect.poll(() => isInSight(opened, word)).toBe(true)
      expect(await scrollTop(opened)).toBeGreaterThan(1000)
    }
  })

  it('brings what is written in the midst of a text that is not rendered into sight', async () => {
    const opened = await open(UNRENDERED, 1000)
    const place = UNRENDERED.indexOf('Long 4') + 'Long 4'.length + 400
    await opened.select(place, place)
    await opened.page.keyboard.insertText('HERE')
    await expect.poll(() => isInSight(opened, 'HERE')).toBe(true)
  })

  it('has the same lines of a text that is not rendered at both upper edges', async () => {
    const opened = await open(UNRENDERED, 1000)
    await previewPane(opened).evaluate((pane) => {
      const range = document.createRange()
      const line = [...(pane.firstElementChild?.childNodes ?? [])].find(({ nodeValue }) =>
        nodeValue?.includes('Short 50'),
      )
      if (line !== undefined) range.selectNode(line)
      pane.dispatchEvent(new WheelEvent('wheel', { bubbles: true }))
      pane.scrollTop += range.getBoundingClientRect().top - pane.getBoundingClientRect().top - 12
    })
    const line = UNRENDERED.slice(0, UNRENDERED.indexOf('## Short 50')).split('\n').length - 1
    const lineAtTop = (): Promise<number> =>
      opened.text.evaluate((element: HTMLTextAreaElement) => {
        const { left, top } = element.getBoundingClientRect()
        const at = document.caretPositionFromPoint(left + 14, top + 14)?.offset ?? 0
        return element.value.slice(0, at).split('\n').length - 1
      })
    await expect.poll(async () => Math.abs((await lineAtTop()) - line)).toBeLessThan(2)
    await opened.text.evaluate((element) => {
      element.dispatchEvent(new WheelEvent('wheel', { bubbles: true }))
      element.scrollTop -= 400
    })
    await expect
      .poll(async () => {
        const [heading] = /Short \d+/.exec(
          UNRENDERED.split('\n')
            .slice((await lineAtTop()) - 1)
            .join('\n'),
        ) ?? ['']
        return isInSight(opened, heading)
      })
      .toBe(true)
  })

  it.each(['end', 'middle'])('brings the words of the caret in a long paragraph into sight: %s', async (where) => {
    const opened = await open(`${BLOCKS}\n${where === 'end' ? '' : `${SENTENCE.repeat(50)}\n\n${BLOCKS}`}`)
    const place = where === 'end' ? (await opened.text.inputValue()).length : BLOCKS.length + 1 + SENTENCE.length * 25
    await opened.select(place, place)
    await opened.page.keyboard.insertText(`${where === 'end' ? SENTENCE.repeat(30) : ''}FIRST `)
    await expect.poll(() => isInSight(opened, 'FIRST')).toBe(true)
    const before = await scrollTop(opened)
    await opened.page.keyboard.type('NEXT ')
    await expect.poll(() => isInSight(opened, 'NEXT')).toBe(true)
    expect(Math.abs((await scrollTop(opened)) - before)).toBeLessThan(60)
  })

  it('says that a text is too long, also where nobody has told the page how long one may be', async () => {
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
    expect(await note.innerText()).toBe(TOO_LONG)
  })
})
