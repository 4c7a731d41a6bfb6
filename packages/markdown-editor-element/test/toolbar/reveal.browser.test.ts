import { describe, expect, it } from 'vitest'
import { choose, holdUploads, PHOTO } from '../support/choose-files.ts'
import type { OpenPage } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'
import { loadWriting } from '../support/writing.ts'

const TABLE = `| a | b |\n|---|---|\n${'| c | d |\n'.repeat(60)}`

describe.each([true, false])('on a phone with a keyboard, in full screen: %s', (isFull) => {
  const site = useTestSite()

  /** Opens a table that is higher than the field, with the caret in its first cell. */
  const open = async (): Promise<OpenPage> => {
    const viewport = { width: 360, height: 440 }
    const options = { viewport, hasTouch: true, isMobile: true }
    const opened = await site.open({ fields: { body: TABLE }, before: '<p>tall</p>' }, options)
    await loadWriting(opened.page)
    if (isFull) {
      await opened.button('Full screen').tap()
      await opened.page.locator('markdown-editor[data-fullscreen]').waitFor()
    }
    await opened.select(2, 2)
    return opened
  }

  /** Returns true if the whole line of the caret is visible. No line wraps in these tests. */
  const isShown = ({ text }: OpenPage): Promise<boolean> =>
    text.evaluate((field: HTMLTextAreaElement) => {
      const { lineHeight, paddingTop } = getComputedStyle(field)
      const height = Number.parseFloat(lineHeight)
      const line = field.value.slice(0, field.selectionEnd).split('\n').length - 1
      const box = field.getBoundingClientRect()
      const top = box.top + Number.parseFloat(paddingTop) + line * height - field.scrollTop
      const header = field.parentElement?.querySelector('.md-editor-header')
      const above = Math.max(header?.getBoundingClientRect().bottom ?? 0, box.top)
      return top >= above && top + height <= Math.min(innerHeight, box.bottom)
    })

  it.each(['Enter', 'Tab'])('%s in a table keeps the caret visible', async (key) => {
    const opened = await open()
    for (let times = 0; times < 40; times++) {
      await opened.page.keyboard.press(key)
      await expect.poll(() => isShown(opened)).toBe(true)
    }
  })

  it('keeps the caret visible below an uploaded image, whose URL fills some lines', async () => {
    const opened = await open()
    const { page, text } = opened
    await opened.select(TABLE.length, TABLE.length)
    const release = holdUploads(site.server, () => {
      const url = `/media/md-editor/tmp/${'m'.repeat(200)}.png`
      return { status: 201, body: { url, name: 'photo.png', type: 'image/png' } }
    })
    await choose(opened, isFull ? 'Image' : 'Tap to add files', [PHOTO])
    await page.getByRole('progressbar').waitFor()
    release()
    await expect.poll(() => text.inputValue()).toContain('](/media/')
    const belowScreen = (): Promise<number> =>
      text.evaluate((field: HTMLTextAreaElement) => {
        const { bottom, top } = field.getBoundingClientRect()
        const padding = Number.parseFloat(getComputedStyle(field).paddingBottom)
        const end = top + field.scrollHeight - field.scrollTop - padding
        return end - Math.min(innerHeight, bottom)
      })
    await expect.poll(belowScreen).toBeLessThanOrEqual(0)
    expect(await opened.selection()).toEqual(Array(2).fill((await text.inputValue()).length))
  })

  it('keeps typing after Enter in one undo step', async () => {
    const { page, text } = await open()
    await page.keyboard.press('Enter')
    await expect.poll(() => text.inputValue()).not.toBe(TABLE)
    const before = await text.inputValue()
    await page.keyboard.type('typed quickly')
    await expect.poll(() => text.inputValue()).toContain('typed quickly')
    await page.keyboard.press('Control+z')
    await expect.poll(() => text.inputValue()).toBe(before)
  })
})
