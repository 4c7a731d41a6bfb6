import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { png } from '../../../../tests/support/png.ts'
import { holdUploads } from '../support/choose-files.ts'
import { useTestSite } from '../support/test-site.ts'

/** Drops an image on the first words of the text. Uses the same position for each drop. */
async function drop(page: Page, name: string): Promise<void> {
  await page.locator('textarea').evaluate(
    (element, { name, bytes }) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([new Uint8Array(bytes)], name, { type: 'image/png' }))
      const { left, top } = element.getBoundingClientRect()
      const { paddingTop, paddingLeft } = getComputedStyle(element)
      const clientX = left + Number.parseFloat(paddingLeft) + 50
      const clientY = top + Number.parseFloat(paddingTop) + 10
      const init = { bubbles: true, cancelable: true, clientX, clientY }
      element.dispatchEvent(new DragEvent('drop', { ...init, dataTransfer }))
    },
    { name, bytes: [...png(8, 6, [1, 2, 3])] },
  )
}

describe('files dropped on <markdown-editor>', () => {
  const site = useTestSite()

  it('lose the characters that reverse their name', async () => {
    const release = holdUploads(site.server)
    const { page, text } = await site.open()
    await drop(page, 'a\u202egpj.\u2066png')
    await page.getByRole('progressbar', { name: 'Uploading agpj.png', exact: true }).waitFor()
    expect(await text.inputValue()).toBe('![Uploading agpj.png…]()\n\n')
    expect(await page.getByRole('status').first().textContent()).toBe('Uploading agpj.png')
    release()
    await expect.poll(() => text.inputValue()).toMatch(/^!\[agpj\]\(/)
  })

  it('do not split uploads in progress and images on which they are dropped', async () => {
    const release = holdUploads(site.server)
    const { page, text } = await site.open()
    await drop(page, 'a.png')
    await expect.poll(() => text.inputValue()).toBe('![Uploading a.png…]()\n\n')
    await drop(page, 'b.png')
    await expect
      .poll(() => text.inputValue())
      .toBe('![Uploading a.png…]()\n\n![Uploading b.png…]()\n\n')
    release()
    const image = '!\\[[abc]\\]\\([^)]+\\)'
    await expect.poll(() => text.inputValue()).toMatch(new RegExp(`^${image}\n\n${image}\n\n$`))
    await drop(page, 'c.png')
    await expect
      .poll(() => text.inputValue())
      .toMatch(new RegExp(`^(?:${image}\n{2,4}){2}${image}\n\n$`))
    expect(await text.inputValue()).toMatch(/\[a\].*\[c\].*\[b\]/s)
  })
})
