import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { bar, clearDrafts, countKept, kept, offered, press } from './draft-page.ts'
import { useDrafts } from './use-drafts.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('drafts across page loads', () => {
  const drafts = useDrafts()

  it('report that the browser has restored a text over a newer one of the server (F21)', async () => {
    const { page, text } = await drafts.open('old\n\nand\n\nend')
    await text.fill('old\n\nand\n\nend of mine')
    await page.goto('about:blank')
    drafts.serve('newer\n\nand\n\nend')
    // Imitates a browser that restores the fields of a form.
    await page.addInitScript(() => {
      const restore = (): void => {
        const textarea = document.querySelector('textarea')
        if (textarea) textarea.value = 'old\n\nand\n\nend of mine\n'
      }
      document.addEventListener('DOMContentLoaded', restore, { capture: true })
    })
    await page.route('**/markdown-editor.js', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      await route.continue()
    })
    await page.goto(drafts.formUrl)
    await offered(page, 'The text has changed since then.')
    await press(page, 'Compare')
    expect(await page.getByLabel('The current text', { exact: true }).inputValue()).toBe(
      'newer\n\nand\n\nend',
    )
    await press(page, 'Use this text')
    expect(await text.inputValue()).toBe('newer\n\nand\n\nend of mine')
  })

  it('are cleared by script', async () => {
    const { page, text } = await drafts.open('')
    await text.pressSequentially('mine')
    await kept(page).waitFor()
    await clearDrafts(page)
    expect(await countKept(page)).toBe(0)
    await text.pressSequentially(' and more')
    await page.goto(drafts.formUrl)
    await page.waitForLoadState('networkidle')
    expect(await countKept(page)).toBe(0)
    await text.pressSequentially('again')
    await kept(page).waitFor()
    await clearDrafts(page)
    expect(await countKept(page)).toBe(0)
  })

  it('are validated: invalid entries are removed and never shown', async () => {
    const { page } = await drafts.open('')
    await page.evaluate(() => {
      const note = {
        id: 'x',
        key: 'post/1/body',
        user: 'ada',
        time: Date.now(),
        expires: Date.now() + 60_000,
        text: 'ok',
        base: '',
        fields: [],
        sent: null,
      }
      const notes: Record<string, unknown> = {
        broken: '{',
        list: [],
        fields: { ...note, id: 'fields', fields: [null] },
        types: { ...note, id: 'types', text: { toString: 1 } },
        other: { ...note, id: 'another name' },
        proto: { ...note, id: 'proto', time: '__proto__' },
        markup: { ...note, id: 'markup', text: '<img src=x onerror=alert(1)>', base: 'x' },
      }
      for (const [id, value] of Object.entries(notes)) {
        localStorage.setItem(
          `md-editor:draft:${id}`,
          typeof value === 'string' ? value : JSON.stringify(value),
        )
      }
      localStorage.setItem('md-editor:drafts-cleared', '{}')
      localStorage.setItem('of the application', 'stays')
    })
    await page.goto(drafts.formUrl)
    await offered(page, /The text has changed since then\.$/)
    await press(page, 'Compare')
    expect(await page.getByLabel('Your draft', { exact: true }).inputValue()).toBe(
      '<img src=x onerror=alert(1)>',
    )
    await expect.poll(() => countKept(page)).toBe(1)
    expect(await page.evaluate(() => localStorage.getItem('of the application'))).toBe('stays')
  })

  it('expire together with temporary files', async () => {
    const { page, text } = await drafts.open('')
    await text.pressSequentially('of yesterday')
    await page.goto('about:blank')
    await page.clock.install({ time: Date.now() + 25 * 3_600_000 })
    await page.goto(drafts.formUrl)
    await expect.poll(() => countKept(page)).toBe(0)
    expect(await bar(page).count()).toBe(0)
  })

  it('mark an upload that was interrupted by a reload', async () => {
    const { page, text } = await drafts.open('')
    let sent = 0
    drafts.server.onUpload = () => {
      sent++
      return new Promise(() => {})
    }
    const file = { name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from('png') }
    const chosen = page.waitForEvent('filechooser')
    await press(page, 'Paste, drop, or click to add files')
    await (await chosen).setFiles(file)
    await expect.poll(() => sent).toBe(1)
    await kept(page).waitFor()
    await page.goto('about:blank')
    await page.goto(drafts.formUrl)
    await press(page, 'Restore')
    await expect.poll(() => text.inputValue()).toBe('![Uploading photo.png…]()\n\n')
    await page.getByText('The upload of photo.png was interrupted.').first().waitFor()
    expect(sent).toBe(1)
  })

  it.each(['light', 'dark'] as const)('are accessible (%s)', async (colorScheme) => {
    const { page, text } = await drafts.open(
      'one\n\nfox\n',
      {},
      {
        colorScheme,
        reducedMotion: 'reduce',
        viewport: { width: 360, height: 800 },
      },
    )
    await page.addInitScript(AXE)
    await text.fill('one\n\ncat\n')
    await page.goto('about:blank')
    drafts.serve('one\n\ndog\n')
    await page.goto(drafts.formUrl)
    await offered(page, 'There is a draft')
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Compare' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    expect(await violations(page)).toEqual([])
    expect(await page.getByLabel('Merged text').inputValue()).toBe('one\n\ncat\n\ndog\n')
    await page.keyboard.press('Escape')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe('Compare')
  })
})

interface Axe {
  readonly axe: {
    run(
      root: string,
      options: object,
    ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
  }
}

const violations = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const { violations: found } = await (globalThis as unknown as Axe).axe.run(
      'markdown-editor',
      { rules: { region: { enabled: false } } }, // This rule applies only to whole pages.
    )
    return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  })
