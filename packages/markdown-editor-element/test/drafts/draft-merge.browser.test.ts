import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { bar, offered, press, shown, typeAndLeave } from './draft-page.ts'
import { useDrafts } from './use-drafts.ts'

describe('drafts with a conflicting text', () => {
  const drafts = useDrafts()

  it('are merged with a newer text of the server, and never overwrite it (F21)', async () => {
    const opened = await drafts.open('one\n\ntwo\n\nthree')
    const { page, text } = opened
    await text.press('ControlOrMeta+End')
    await typeAndLeave(opened, ' of mine')
    drafts.serve('one of theirs\n\ntwo\n\nthree')
    await page.goto(drafts.formUrl)
    await offered(page, /The text has changed since then\.$/)
    expect(await bar(page).getByRole('button', { name: 'Restore' }).count()).toBe(0)
    await press(page, 'Compare')
    const dialog = page.getByRole('dialog', { name: 'Compare the draft' })
    await dialog.waitFor()
    expect(await page.locator(':focus').textContent()).toBe('Compare the draft')
    expect(await dialog.getByLabel('Your draft', { exact: true }).inputValue()).toBe(
      'one\n\ntwo\n\nthree of mine',
    )
    expect(await dialog.getByLabel('The current text', { exact: true }).inputValue()).toBe(
      'one of theirs\n\ntwo\n\nthree',
    )
    await press(page, 'Cancel')
    expect(await shown(page)).toBe('one of theirs\n\ntwo\n\nthree')
    await press(page, 'Compare')
    await press(page, 'Use this text')
    expect(await shown(page)).toBe('one of theirs\n\ntwo\n\nthree of mine')
    await page.keyboard.press('ControlOrMeta+z')
    expect(await shown(page)).toBe('one of theirs\n\ntwo\n\nthree')
  })

  it('contain both sides of a conflict, and accept edits of the result (F21)', async () => {
    const opened = await drafts.open('a\nfox\nz')
    const { page, text } = opened
    await text.fill('a\ncat\nz')
    await page.goto('about:blank')
    drafts.serve('a\ndog\nz')
    await page.goto(drafts.formUrl)
    await press(page, 'Compare')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 place was changed in both versions.').waitFor()
    const result = dialog.getByLabel('Merged text')
    expect(await result.inputValue()).toBe('a\ncat\ndog\nz')
    await result.fill('a\nby hand\nz')
    await press(page, 'Use this text')
    expect(await shown(page)).toBe('a\nby hand\nz')
    await press(page, 'Save draft')
    await page.waitForURL('**/save')
    expect(drafts.server.saved[0]?.getAll('body')).toEqual([
      'a\nby hand\nz'.replaceAll('\n', '\r\n'),
    ])
    expect([...(drafts.server.saved[0]?.keys() ?? [])]).toEqual(['csrf_token', 'body', 'action'])
  })

  it('show what the merged text changes, and fold the other lines', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `Line ${index}`)
    const opened = await drafts.open(lines.join('\n'))
    const { page, text } = opened
    await text.fill(lines.with(100, 'My <own> line').join('\n'))
    await page.goto('about:blank')
    drafts.serve(lines.toSpliced(150, 0, 'Their line').join('\n'))
    await page.goto(drafts.formUrl)
    await press(page, 'Compare')
    const list = page.getByRole('group', { name: '− The current text, + Merged text' })
    expect(
      await list.evaluate(({ children }) => [...children].map(({ textContent }) => textContent)),
    ).toEqual([
      '… 98 unchanged lines …',
      '  Line 98',
      '  Line 99',
      '− Line 100',
      '+ My <own> line',
      '  Line 101',
      '  Line 102',
      '… 98 unchanged lines …',
    ])
    expect(await list.getByRole('deletion').allTextContents()).toEqual(['− Line 100'])
    expect(await list.getByRole('insertion').allTextContents()).toEqual(['+ My <own> line'])
  })

  it('select the first place that both versions changed, and scroll there', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `Line ${index}`)
    const viewport = { width: 360, height: 740 }
    const served = lines.join('\n')
    const opened = await drafts.open(served, {}, { viewport, hasTouch: true, isMobile: true })
    const { page, text } = opened
    await text.fill(lines.with(100, 'My line').join('\n'))
    await page.goto('about:blank')
    drafts.serve(lines.with(100, 'Their line').join('\n'))
    await page.goto(drafts.formUrl)
    await press(page, 'Compare')
    const result = page.getByRole('textbox', { name: 'Merged text' })
    const place = await result.evaluate((field: HTMLTextAreaElement) => {
      const { clientHeight, scrollHeight, scrollTop, selectionEnd, selectionStart, value } = field
      const rows = (height: number): number => (height * 201) / scrollHeight
      return {
        selected: value.slice(selectionStart, selectionEnd),
        first: rows(scrollTop),
        last: rows(scrollTop + clientHeight),
      }
    })
    expect(place.selected).toBe('My line\nTheir line\n')
    expect(place.first).toBeGreaterThan(97)
    expect(place.first).toBeLessThan(100)
    expect(place.last).toBeGreaterThan(102)
    expect(await page.locator(':focus').textContent()).toBe('Compare the draft')
    const list = page.getByRole('group', { name: '− The current text, + Your draft' })
    expect(await list.getByRole('deletion').allTextContents()).toEqual(['− Their line'])
  })

  it('show the differences first on a phone, with the start of the merged text below', async () => {
    const long = 'A line of a long text.\n\n'.repeat(40)
    const viewport = { width: 360, height: 640 }
    const opened = await drafts.open(long, {}, { viewport, hasTouch: true, isMobile: true })
    const { page, text } = opened
    await text.fill('My line.\n\n'.repeat(40))
    await page.goto('about:blank')
    drafts.serve(`theirs\n\n${long}`)
    await page.goto(drafts.formUrl)
    await press(page, 'Compare')
    const top = (found: Locator): Promise<number> =>
      found.evaluate((element) => element.getBoundingClientRect().top)
    const list = page.getByRole('group', { name: '− The current text, + Your draft' })
    const result = await top(page.getByRole('textbox', { name: 'Merged text' }))
    expect(await top(list)).toBeLessThan(result)
    const foot = await top(page.getByRole('button', { name: 'Use this text' }))
    expect(result).toBeLessThan(foot - 48)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('End')
    await expect.poll(() => list.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(100)
  })

  it('are compared soon if they have many lines', async () => {
    const { page, text } = await drafts.open('')
    await text.evaluate((field) => {
      if (field instanceof HTMLTextAreaElement) field.value = 'mine\n'.repeat(40_000)
      field.dispatchEvent(new Event('input'))
    })
    await page.getByText(/^Draft saved/).waitFor()
    await page.goto('about:blank')
    drafts.serve('theirs\n'.repeat(40_000))
    await page.goto(drafts.formUrl)
    await press(page, 'Compare')
    await page.getByRole('dialog').waitFor({ timeout: 10_000 })
  })

  it('show a whole version on request', async () => {
    const opened = await drafts.open('one')
    const { page } = opened
    await typeAndLeave(opened, ' of mine')
    drafts.serve('other')
    await page.goto(drafts.formUrl)
    await press(page, 'Compare')
    const mine = page.getByRole('textbox', { name: 'Your draft' })
    expect(await mine.isVisible()).toBe(false)
    await page.getByText('Your draft', { exact: true }).click()
    await mine.waitFor()
    expect(await mine.isEditable()).toBe(false)
  })
})
