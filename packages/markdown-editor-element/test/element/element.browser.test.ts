import type { Page, Route } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { MarkdownEditorElement } from '../../src/element/index.ts'
import { keptDrafts, ready } from '../drafts/draft-page.ts'
import { gate } from '../support/choose-files.ts'
import type { OpenPage, PageParts } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'

const TEMP = '/media/md-editor/tmp/a.png'

type Action<Result> = (element: MarkdownEditorElement) => Result

describe('the element', () => {
  const site = useTestSite()

  const act = <Result>(page: Page, action: Action<Result>): Promise<Awaited<Result>> =>
    page.locator('markdown-editor').evaluate(action as (element: Element) => Result) as Promise<
      Awaited<Result>
    >
  const textOf = (page: Page): Promise<string> => act(page, ({ value }) => value)

  /** Opens a German page whose texts are loaded when the test releases them. */
  const openWaiting = async (parts: PageParts): Promise<OpenPage & { letIn(): void }> => {
    const { opened, open } = gate()
    const hold = async (route: Route): Promise<void> => {
      await opened
      await route.continue()
    }
    await site.context.route(/\/de-\w+\.js/, hold)
    const page = await site.open({ ...parts, widget: { locale: 'de', ...parts.widget } })
    onTestFinished(() => site.context.unroute(/\/de-\w+\.js/, hold))
    return { ...page, letIn: open }
  }

  it('accepts properties that were set before it was defined, also for a subclass', async () => {
    const { page } = await site.open()
    const seen = await page.evaluate(async () => {
      const Element = customElements.get('markdown-editor') as typeof MarkdownEditorElement
      const element = document.createElement('other-editor') as MarkdownEditorElement
      element.append(document.createElement('textarea'))
      document.forms[0]?.append(element)
      element.value = 'early'
      element.completions = [{ trigger: '@', search: () => [] }]
      customElements.define('other-editor', class extends Element {})
      const early = [element.value, element.textarea?.value, element.completions.length]
      element.value = 'later'
      const again = Element.define() === Element
      return { early, later: element.textarea?.value, again }
    })
    expect(seen).toEqual({
      early: ['early', 'early', 1],
      later: 'later',
      again: true,
    })
    await page.locator('other-editor').getByRole('toolbar').waitFor()
  })

  describe('while its texts are loading', () => {
    const parts: PageParts = { fields: { body: `![a](${TEMP})` } }

    it('finalizes after they are loaded', async () => {
      const { page, letIn } = await openWaiting(parts)
      const finalizing = act(page, async (element) => [await element.finalize(), element.value])
      expect(await page.getByRole('toolbar').count()).toBe(0)
      letIn()
      const [done, text] = await finalizing
      expect([done, text]).toEqual([true, '![a](/media/md-editor/uploads/2026/11/a.png)'])
    })

    it('runs commands and adds files after they are loaded', async () => {
      const { page, text, letIn } = await openWaiting({ fields: { body: '' } })
      const running = act(page, async (element) => {
        await Promise.all([
          element.run('bold'),
          element.addFiles([new File(['x'], 'b.png', { type: 'image/png' })]),
        ])
      })
      letIn()
      await running
      await expect.poll(() => text.inputValue()).toMatch(/\/tmp\/m\d+-b\.png/)
      expect(await text.inputValue()).toContain('**')
    })

    it('runs commands from the moment when defer is removed', async () => {
      const { page } = await site.open()
      const texts = await page.evaluate(async () => {
        const element = document.createElement('markdown-editor') as MarkdownEditorElement
        for (const [name, value] of Object.entries({ defer: '', locale: 'fr' }))
          element.setAttribute(name, value)
        element.append(document.createElement('textarea'))
        document.forms[0]?.append(element)
        await element.run('bold')
        const deferred = element.value
        element.removeAttribute('defer')
        await element.run('bold')
        return [deferred, element.value]
      })
      expect(texts).toEqual(['', '****'])
    })

    it('delays its form, and submits it once with the button', async () => {
      const { page, button, letIn } = await openWaiting(parts)
      await button('Publish').click()
      await button('Publish').click()
      expect(site.server.saved).toEqual([])
      letIn()
      await page.waitForURL('**/save')
      expect(site.server.saved.map((fields) => [fields.get('action'), fields.get('body')])).toEqual(
        [['publish', '![a](/media/md-editor/uploads/2026/11/a.png)']],
      )
    })
  })

  it('cannot finalize without a textarea', async () => {
    const { page } = await site.open()
    expect(
      await page.evaluate(() => document.createElement('markdown-editor') instanceof HTMLElement),
    ).toBe(true)
    const done = await page.evaluate(() =>
      (document.createElement('markdown-editor') as MarkdownEditorElement).finalize(),
    )
    expect(done).toBe(false)
  })

  it('accepts files only while it has an upload URL', async () => {
    const { page } = await site.open({ widget: { uploadUrl: '' } })
    const add = page.locator('.md-editor-add')
    expect(await add.isVisible()).toBe(false)
    await act(page, (element) => element.setAttribute('upload-url', '/md-editor/upload'))
    expect(await add.isVisible()).toBe(true)
    await act(page, (element) => element.removeAttribute('upload-url'))
    expect(await add.isVisible()).toBe(false)
  })

  it('keeps the focus and the pressed state of buttons when the toolbar changes', async () => {
    const { page, button, select } = await site.open({ fields: { body: '**a** b' } })
    const focused = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.getAttribute('data-command') ?? null)
    await select(3, 3)
    await page.locator('[data-command=bold][aria-pressed=true]').waitFor()
    await button('Bold').focus()
    const setToolbar = (names: string): Promise<string | null> =>
      act(page, (element) => element.getAttribute('toolbar')).then(() =>
        page.locator('markdown-editor').evaluate((element, value) => {
          element.setAttribute('toolbar', value)
          return element.querySelector('[data-command=bold]')?.getAttribute('aria-pressed') ?? null
        }, names),
      )
    expect(await setToolbar('italic bold')).toBe('true')
    expect(await focused()).toBe('bold')
    expect(await button('Bold').evaluate((element: HTMLElement) => element.tabIndex)).toBe(0)
    expect(await setToolbar('italic link')).toBeNull()
    expect(await focused()).toBe('italic')
  })

  it('rejects unknown commands with the known names, without a message to the user', async () => {
    const { page, text } = await site.open({ fields: { body: 'old' } })
    const message = await act(page, (element) => element.run('nonsense' as 'bold').catch(String))
    expect(message).toMatch(
      /^TypeError: run: unknown command nonsense\. Known names are bold, .*heading-2.*outdent\.$/,
    )
    expect(await page.getByRole('alert').filter({ hasText: 'nonsense' }).count()).toBe(0)
    expect(await page.locator('markdown-editor').innerText()).not.toContain('nonsense')
    await text.selectText()
    await act(page, (element) => element.run('link'))
    expect(await textOf(page)).toBe('[old](url)')
  })

  it('changes its language, and keeps text, focus and selection', async () => {
    const { page, text, select } = await site.open({ fields: { body: 'one two' } })
    await select(4, 7)
    await page.keyboard.type('2')
    await act(page, (element) => element.setAttribute('locale', 'de'))
    await page.getByRole('button', { name: 'Fett' }).waitFor()
    await page.keyboard.type('3')
    expect(await text.inputValue()).toBe('one 23')
    expect(await page.getByRole('toolbar').count()).toBe(1)
    await act(page, (element) => element.removeAttribute('locale'))
    await page.getByRole('button', { name: 'Bold' }).waitFor()
    expect(await page.getByRole('toolbar').count()).toBe(1)
  })

  it.each(['before', 'after'])(
    'saves drafts under the new key when the text is set %s it',
    async (order) => {
      const key = `element/${order}`
      const { page, text } = await site.open({
        fields: { body: 'text of 1' },
        widget: { draft: `${key}/1` },
      })
      await ready(page)
      const saved = page.getByText(/^Draft saved/)
      await text.focus()
      await page.keyboard.press('Control+End')
      await page.keyboard.type('!')
      await saved.waitFor()
      await page.keyboard.type('!')
      await page.locator('markdown-editor').evaluate(
        (element, [isBefore, name]) => {
          const editor = element as MarkdownEditorElement
          const setText = (): void => {
            if (editor.textarea !== null) editor.textarea.defaultValue = 'text of 2'
            editor.value = 'text of 2'
          }
          if (isBefore) setText()
          editor.setAttribute('draft', name)
          if (!isBefore) setText()
        },
        [order === 'before', `${key}/2`] as const,
      )
      await saved.waitFor({ state: 'detached' })
      await page.keyboard.press('Control+End')
      await page.keyboard.type('?')
      await saved.waitFor()
      await expect
        .poll(() => keptDrafts(page, key))
        .toEqual([
          { key: `${key}/1`, text: 'text of 1!!', base: 'text of 1' },
          { key: `${key}/2`, text: 'text of 2?', base: 'text of 2' },
        ])
    },
  )

  describe('in a page that is changed in place', () => {
    it('continues with a textarea that replaces its own', async () => {
      const { page, button } = await site.open({ fields: { body: 'old' } })
      await act(page, (element) => {
        const other = document.createElement('textarea')
        other.name = 'body'
        other.value = 'new'
        element.textarea?.replaceWith(other)
      })
      await expect.poll(() => textOf(page)).toBe('new')
      await page.locator('textarea').selectText()
      await button('Bold').click()
      await expect.poll(() => page.locator('textarea').inputValue()).toBe('**new**')
      expect(await page.getByRole('toolbar').count()).toBe(1)
    })

    it('continues with new content after its content was removed', async () => {
      const { page, text } = await site.open({
        fields: { body: 'old' },
        widget: { surface: 'codemirror' },
      })
      await page.locator('.cm-content').waitFor()
      await act(page, (element) => {
        element.textContent = ''
      })
      expect(await textOf(page)).toBe('')
      await act(page, (element) => {
        const wrapper = document.createElement('div')
        wrapper.append(document.createElement('textarea'))
        element.append(wrapper)
        element.value = 'new'
      })
      await page.locator('.cm-content').filter({ hasText: 'new' }).waitFor()
      await page.locator('.cm-content').click()
      await page.keyboard.press('Control+End')
      await page.keyboard.type('er')
      await expect.poll(() => text.inputValue()).toBe('newer')
      expect(await page.getByRole('toolbar').count()).toBe(1)
    })

    it('rebuilds its parts after they were removed, as morphing does', async () => {
      const { page, text, button } = await site.open({ fields: { body: 'kept' } })
      await act(page, (element) => element.replaceChildren(element.textarea as HTMLTextAreaElement))
      await button('Bold').waitFor()
      expect(await text.inputValue()).toBe('kept')
      expect(await page.locator('.md-editor-footer').count()).toBe(1)
    })
  })
})
