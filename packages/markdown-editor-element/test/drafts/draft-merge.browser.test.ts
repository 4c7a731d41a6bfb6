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
    expect(await dialog.getByLabel('Your draft').inputValue()).toBe('one\n\ntwo\n\nthree of mine')
    expect(await dialog.getByLabel('The current text').inputValue()).toBe(
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

  it('show the merged text first on a phone, with the start of the versions below', async () => {
    const long = 'A line of a long text.\n\n'.repeat(40)
    const viewport = { width: 360, height: 640 }
    const opened = await drafts.open(long, {}, { viewport, hasTouch: true, isMobile: true })
    const { page, text } = opened
    await text.fill(`mine\n\n${long}`)
    await page.goto('about:blank')
    drafts.serve(`theirs\n\n${long}`)
    await page.goto(drafts.formUrl)
    await press(page, 'Compare')
    const foot = await page.getByRole('button', { name: 'Use this text' }).boundingBox()
    const tops = await page
      .locator('dialog textarea')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top))
    const [result = 0, mine = 0, theirs = 0] = tops
    expect(result).toBeLessThan(mine)
    expect(mine).toBeLessThan(foot?.y ?? 0)
    expect(mine).toBeLessThan(theirs)
    expect(theirs - mine).toBeLessThan(320)
    expect(await page.locator('dialog label').first().textContent()).toBe('Merged text')
  })
})
