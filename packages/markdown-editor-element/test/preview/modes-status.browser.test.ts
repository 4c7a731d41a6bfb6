import { describe, expect, it } from 'vitest'
import type { OpenPage } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'

describe('the status line', () => {
  const site = useTestSite()

  const status = ({ page }: OpenPage): Promise<string[]> =>
    page
      .locator('.md-editor-status span')
      .evaluateAll((all) => all.map((e) => e.textContent ?? '').filter(Boolean))
  const liveRegion = ({ page }: OpenPage): Promise<string | null> =>
    page.locator('.md-editor-live').textContent()

  it('counts words and characters as readers do, during typing', async () => {
    const opened = await site.open({ fields: { body: 'three small words' } })
    await opened.text.focus()
    await expect.poll(() => status(opened)).toEqual(['3 words', '17 characters'])
    await opened.text.press('Control+End')
    await opened.page.keyboard.insertText('\n我喜欢 👩‍👩‍👧‍👦')
    await expect.poll(() => status(opened)).toEqual(['5 words', '23 characters'])
    await opened.text.fill('')
    await expect.poll(() => status(opened)).toEqual(['0 words', '0 characters'])
    await opened.text.fill('one')
    await expect.poll(() => status(opened)).toEqual(['1 word', '3 characters'])
    expect(await liveRegion(opened)).toBe('')
  })

  it('excludes markup and addresses from the words', async () => {
    const body = 'A **[link](https://example.com/a/b)**\n\n![photo](/media/photo.png)\n'
    const opened = await site.open({ fields: { body } })
    await opened.text.focus()
    await expect.poll(async () => (await status(opened))[0]).toBe('2 words')
  })

  it('counts the selection', async () => {
    const opened = await site.open({ fields: { body: 'three small words' } })
    await opened.select(0, 11)
    await expect.poll(() => status(opened)).toEqual(['Selected: 2 words, 11 characters'])
    await opened.text.press('ArrowRight')
    await expect.poll(() => status(opened)).toEqual(['3 words', '17 characters'])
  })

  it('counts only the changed part of a text again', async () => {
    const lines = Array.from({ length: 300 }, (_, index) => `Line ${index} 東京.`)
    const opened = await site.open({ fields: { body: lines.join('\n') } })
    await opened.text.focus()
    await expect.poll(() => status(opened)).toEqual(['900 words', '3,789 characters'])
    await opened.select(0, 4)
    await opened.page.keyboard.insertText('A long line')
    await expect.poll(() => status(opened)).toEqual(['902 words', '3,796 characters'])
    await opened.text.press('Control+End')
    await opened.page.keyboard.insertText('\nend')
    await expect.poll(() => status(opened)).toEqual(['903 words', '3,800 characters'])
    const middle = lines.slice(0, 150).join('\n').length + 7
    await opened.select(middle, middle + 40)
    await opened.page.keyboard.press('Delete')
    const left = await opened.text.inputValue()
    const words = [...new Intl.Segmenter('en', { granularity: 'word' }).segment(left)].filter(
      (part) => part.isWordLike,
    )
    await expect.poll(() => status(opened)).toEqual([`${words.length} words`, '3,760 characters'])
  })

  it('shows what is left, as browsers count, and announces it near the limit', async () => {
    const opened = await site.open({ fields: { body: '12345' } })
    await opened.text.evaluate((element: HTMLTextAreaElement) => {
      element.maxLength = 20
    })
    await opened.text.press('Control+End')
    await expect.poll(() => status(opened)).toEqual(['1 word', '15 characters left'])
    expect(await liveRegion(opened)).toBe('')
    await opened.page.keyboard.insertText('67890 👍👍👍') // Browsers count an emoji as two characters.
    await expect.poll(() => status(opened)).toEqual(['1 word', '3 characters left'])
    expect(await liveRegion(opened)).toBe('')
    await opened.page.keyboard.type('ab')
    await expect.poll(() => status(opened)).toEqual(['2 words', '1 character left'])
    expect(await liveRegion(opened)).toBe('1 character left')
    expect(await opened.page.locator('.md-editor-status .md-editor-error').textContent()).toBe(
      '1 character left',
    )
    await opened.page.keyboard.type('cdef')
    await expect.poll(() => liveRegion(opened)).toBe('0 characters left')
  })
})
