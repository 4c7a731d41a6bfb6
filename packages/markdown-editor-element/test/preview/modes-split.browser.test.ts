import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useCodeMirror } from '../support/code-mirror.ts'
import type { OpenPage } from '../support/open-page.ts'
import { previewPane } from '../support/preview.ts'
import { useTestSite } from '../support/test-site.ts'

const PARAGRAPH = 'Words that go on and on, over more than one row of a narrow field. '
  .repeat(8)
  .trim()

// Headings with paragraphs of one source line that wraps into many rows.
const LONG = Array.from({ length: 40 }, (_, index) => `## Head ${index}\n\n${PARAGRAPH}\n`).join(
  '\n',
)

describe('text and preview side by side', () => {
  const site = useTestSite()

  const open = async (body: string, viewport = { width: 1200, height: 800 }): Promise<OpenPage> => {
    const opened = await site.open({ fields: { body } }, { viewport })
    await opened.page.getByRole('tab', { name: 'Split' }).click()
    await previewPane(opened).locator('> :not(.md-editor-hint)').first().waitFor()
    return opened
  }
  it('have panes of equal height, whatever the height of the text is', async () => {
    const opened = await open(LONG)
    for (const height of [300, 460]) {
      await opened.text.evaluate(
        (element, value) => element.style.setProperty('height', `${value}px`),
        height,
      )
      expect((await previewPane(opened).boundingBox())?.height).toBeCloseTo(height, 0)
    }
  })

  it('show only the text or the preview in a narrow window', async () => {
    const opened = await open(LONG)
    const { page, text } = opened
    expect(await text.evaluate((element) => getComputedStyle(element).resize)).toBe('none')
    await page.setViewportSize({ width: 360, height: 700 })
    await expect.poll(() => previewPane(opened).isVisible()).toBe(false)
    expect(await page.getByRole('tab').filter({ visible: true }).allTextContents()).toEqual([
      'Write',
      'Preview',
    ])
    await text.press('Control+Alt+p')
    await expect.poll(() => text.isVisible()).toBe(false)
    expect(await previewPane(opened).isVisible()).toBe(true)
    await page.keyboard.press('Control+Alt+p')
    expect(await text.isVisible()).toBe(true)
    await page.getByRole('tab', { name: 'Write' }).press('ArrowRight')
    expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Preview')
  })

  describe('scroll', () => {
    const wheel = async (opened: OpenPage, over: Locator, by: number): Promise<void> => {
      const box = await over.boundingBox()
      if (box === null) throw new Error('It is not visible.')
      await opened.page.mouse.move(box.x + 40, box.y + 80)
      await opened.page.mouse.wheel(0, by)
    }
    const scrollOf = (locator: Locator): Promise<number> =>
      locator.evaluate((element) => element.scrollTop)
    const still = async (opened: OpenPage): Promise<void> => {
      let last = [-1, -1]
      await expect
        .poll(async () => {
          const next = [await scrollOf(opened.text), await scrollOf(previewPane(opened))]
          const isStill = next.every((value, index) => value === last[index])
          last = next
          return isStill
        })
        .toBe(true)
    }
    const topLine = (opened: OpenPage): Promise<string> =>
      opened.text.evaluate((element: HTMLTextAreaElement) => {
        const { left, top } = element.getBoundingClientRect()
        const at = document.caretPositionFromPoint(left + 14, top + 14)?.offset ?? 0
        const lines = element.value.slice(0, at).split('\n')
        return String(lines.length - 1)
      })
    const topHead = (opened: OpenPage): Promise<{ head: number; offset: number }> =>
      previewPane(opened).evaluate((pane) => {
        const { top } = pane.getBoundingClientRect()
        const heads = [...pane.querySelectorAll('h2')].map((element, head) => ({
          head,
          offset: element.getBoundingClientRect().top - top,
        }))
        return heads.reduce((best, next) =>
          Math.abs(next.offset) < Math.abs(best.offset) ? next : best,
        )
      })
    const isInside = async (inner: Locator, outer: Locator): Promise<boolean> => {
      const [box, frame] = [await inner.boundingBox(), await outer.boundingBox()]
      if (box === null || frame === null) return false
      return box.y >= frame.y && box.y + box.height <= frame.y + frame.height
    }
    const HEAD_LINES = 4 // The number of lines from one heading to the next.

    it('the preview with the text', async () => {
      const opened = await open(LONG)
      await previewPane(opened).getByText('Head 39').waitFor()
      for (let step = 0; step < 3; step++) {
        await wheel(opened, opened.text, 900)
        await still(opened)
        const line = Number(await topLine(opened))
        const { head, offset } = await topHead(opened)
        expect(Math.abs(line / HEAD_LINES - head)).toBeLessThan(1)
        expect(Math.abs(offset)).toBeLessThan(140)
      }
      await wheel(opened, opened.text, 1e6)
      await still(opened)
      const rest = await previewPane(opened).evaluate(
        (e) => e.scrollHeight - e.clientHeight - e.scrollTop,
      )
      expect(rest).toBeLessThan(2)
    })

    it.each(['native', 'codemirror'])('to the caret when the view opens: %s', async (surface) => {
      const body = LONG.replaceAll(/Head \d+\n/g, '$&\n![tall](/media/a.png)\n')
      const opened = await site.open(
        { fields: { body } },
        { viewport: { width: 1200, height: 800 } },
      )
      const isNative = surface === 'native'
      if (!isNative) await useCodeMirror(opened)
      const place = body.indexOf('Head 20')
      await opened.select(place, place)
      await opened.page.keyboard.type('Caret ')
      await opened.page.getByRole('tab', { name: 'Split' }).click()
      const head = previewPane(opened).getByText('Caret Head 20')
      await head.waitFor()
      await expect.poll(() => isInside(head, previewPane(opened))).toBe(true)
      const line = opened.page.locator('.cm-line', { hasText: 'Caret Head 20' })
      const scroller = opened.page.locator('.cm-scroller')
      const showsCaret = async (): Promise<boolean> =>
        isNative ? Math.abs(Number(await topLine(opened)) / 6 - 20) < 3 : isInside(line, scroller)
      await expect.poll(showsCaret).toBe(true)
    })

    it('no preview that the user reads', async () => {
      const opened = await open(LONG)
      await previewPane(opened).getByText('Head 39').waitFor()
      await previewPane(opened).focus()
      await opened.page.keyboard.press('End')
      await still(opened)
      const read = await scrollOf(previewPane(opened))
      expect(read).toBeGreaterThan(1000)
      await wheel(opened, opened.text, -1e6)
      await still(opened)
      expect(await scrollOf(opened.text)).toBe(0)
      expect(await scrollOf(previewPane(opened))).toBe(read)
    })

    it('the preview to the typed text', async () => {
      const opened = await open(`${'![tall](/media/a.png)\n\n'.repeat(40)}${LONG}\nend`)
      await previewPane(opened).getByText('Head 39').waitFor()
      await opened.text.press('Control+End')
      await opened.page.keyboard.type('ing is seen')
      const written = previewPane(opened).getByText('ending is seen')
      await written.waitFor()
      await expect.poll(() => isInside(written, previewPane(opened))).toBe(true)
    })
  })

  it('replace only the blocks that change during typing', async () => {
    const opened = await open(LONG)
    await previewPane(opened).getByText('Head 39').waitFor()
    await previewPane(opened).evaluate((pane) => {
      const scope = globalThis as unknown as { added: Node[]; removed: Node[] }
      scope.added = []
      scope.removed = []
      new MutationObserver((records) => {
        for (const { addedNodes, removedNodes } of records) {
          scope.added.push(...addedNodes)
          scope.removed.push(...removedNodes)
        }
      }).observe(pane, { childList: true })
    })
    const place = LONG.indexOf('## Head 20') + '## Head 20'.length
    await opened.select(place, place)
    await opened.page.keyboard.type('00 and more')
    await previewPane(opened).getByText('Head 2000 and more').waitFor()
    const elements = await opened.page.evaluate(() => {
      const scope = globalThis as unknown as { added: Node[]; removed: Node[] }
      const names = (nodes: Node[]) => [
        ...new Set(nodes.filter((n) => n instanceof Element).map((n) => n.nodeName)),
      ]
      return [names(scope.added), names(scope.removed)]
    })
    expect(elements).toEqual([['H2'], ['H2']])
  })
})
