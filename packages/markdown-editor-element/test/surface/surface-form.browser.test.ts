import { describe, expect, it } from 'vitest'
import { type CodeMirrorPage, useCodeMirror } from '../support/code-mirror.ts'
import type { PageParts } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'

// A text that is too long to be copied to the textarea immediately.
const LONG = 'Some words of a long text.\n'.repeat(500)

describe('CodeMirror with the field of a form', () => {
  const site = useTestSite()

  const open = async (body: string, parts: PageParts = {}): Promise<CodeMirrorPage> =>
    useCodeMirror(await site.open({ fields: { body }, ...parts }))

  const typeAtEnd = async ({ page, content }: CodeMirrorPage, text: string): Promise<void> => {
    await content.focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(text)
  }

  it('copies short texts to the textarea immediately, and long ones in a pause, with one event each', async () => {
    const short = await open('one')
    await typeAtEnd(short, '!?')
    expect(await short.fieldValue()).toBe('one!?')
    expect(await short.events()).toEqual(['input', 'input'])

    const long = await open(LONG)
    await typeAtEnd(long, 'The end.')
    await expect.poll(long.fieldValue).toBe(`${LONG}The end.`)
    expect(await long.events()).toEqual(['input'])
    await long.content.blur()
    expect(await long.events()).toEqual(['change'])
    await long.content.focus()
    await long.content.blur()
    expect(await long.events()).toEqual([])
  })

  it('submits the latest input with the form', async () => {
    const opened = await open(LONG)
    await typeAtEnd(opened, 'x')
    await opened.page.evaluate(() => document.forms[0]?.requestSubmit())
    await opened.page.waitForURL('**/save')
    expect(site.server.saved[0]?.get('body')?.replace(/\r\n/g, '\n')).toBe(`${LONG}x`)
  })

  it('submits the form on Mod+Enter with the latest input', async () => {
    const opened = await open(LONG)
    await typeAtEnd(opened, 'x')
    await opened.page.keyboard.press('Control+Enter')
    await opened.page.waitForURL('**/save')
    expect(site.server.saved[0]?.get('body')?.replace(/\r\n/g, '\n')).toBe(`${LONG}x`)
  })

  it('keeps the texts of fields with the same name separate and in order', async () => {
    const opened = await site.open({ fields: { body: LONG, second: `${LONG}2` } })
    const { page } = opened
    await page.evaluate(() => {
      const input = (
        name: string,
        type: string,
        value: string,
        checked: boolean,
      ): HTMLInputElement =>
        Object.assign(
          document.createElement('input'),
          { name, type, checked },
          value === '' ? {} : { value },
        )
      const [first, second] = document.querySelectorAll('markdown-editor')
      first?.before(input('body', 'file', '', false), input('body', 'checkbox', 'yes', true))
      first?.before(input('body', 'checkbox', 'no', false), input('a', 'text', '1', false))
      second?.after(input('z', 'text', '2', false))
      for (const element of [first, second]) element?.setAttribute('surface', 'codemirror')
      second?.querySelector('textarea')?.setAttribute('name', 'body')
    })
    const second = page.locator('.cm-content').nth(1)
    await second.focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('x')
    const entries = await page.evaluate(() =>
      [...new FormData(document.forms[0])].map(([name, value]) => [
        name,
        typeof value === 'string' ? value : 'file',
      ]),
    )
    expect(entries.map(([name, value]) => [name, value?.replace(LONG, 'LONG')])).toEqual([
      ['csrf_token', 'token-of-the-form'],
      ['a', '1'],
      ['z', '2'],
      ['body', 'file'],
      ['body', 'yes'],
      ['body', 'LONG'],
      ['body', 'LONG2x'],
    ])
  })

  it('is up to date in form data, in submit listeners, and when the page is hidden', async () => {
    const opened = await open(LONG)
    const { page } = opened
    await typeAtEnd(opened, 'x')
    const data = await page.evaluate(() => new FormData(document.forms[0]).getAll('body'))
    expect(data).toEqual([`${LONG}x`])

    await page.keyboard.type('y')
    const seen = await page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const [form] = document.forms
          form?.addEventListener(
            'submit',
            (event) => {
              event.preventDefault()
              resolve((form.elements.namedItem('body') as HTMLTextAreaElement).value)
            },
            { capture: true },
          )
          form?.requestSubmit()
        }),
    )
    expect(seen).toBe(`${LONG}xy`)

    await page.keyboard.type('z')
    await page.evaluate(() => window.dispatchEvent(new Event('pagehide')))
    expect(await opened.fieldValue()).toBe(`${LONG}xyz`)
  })

  it('is reset with the form, including input that the textarea does not have yet', async () => {
    const opened = await open(LONG)
    await typeAtEnd(opened, 'x')
    await opened.page.evaluate(() => document.forms[0]?.reset())
    await expect.poll(opened.value).toBe(LONG)
    await opened.page.keyboard.press('Control+z')
    expect(await opened.value()).toBe(`${LONG}x`)
  })

  it('reads values that scripts set by the property, the prototype or the element, and as React does', async () => {
    const { text, value, page, content, events } = await open('one')
    await text.evaluate((element: HTMLTextAreaElement) => {
      element.value = 'two'
    })
    expect(await value()).toBe('two')
    expect(await events()).toEqual([])
    await text.evaluate((element: HTMLTextAreaElement) => {
      const own = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')
      own?.set?.call(element, 'three')
      element.dispatchEvent(new Event('input', { bubbles: true }))
    })
    expect(await value()).toBe('three')
    await page
      .locator('markdown-editor')
      .evaluate((element) => Object.assign(element, { value: 'four' }))
    expect(await value()).toBe('four')
    await content.focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('!')
    await text.evaluate((element: HTMLTextAreaElement) => element.setRangeText('4', 0, 4))
    await content.blur()
    expect(await value()).toBe('4!')
  })

  it('keeps an accessor that the page has defined on the textarea', async () => {
    const opened = await site.open({ fields: { body: 'one' } })
    await opened.text.evaluate((element: HTMLTextAreaElement) => {
      const own = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')
      Object.defineProperty(element, 'value', {
        configurable: true,
        get: () => own?.get?.call(element),
        set(text) {
          element.dataset['set'] = text
          own?.set?.call(element, text)
        },
      })
    })
    const { text, value, page, content } = await useCodeMirror(opened)
    await content.focus()
    await page.keyboard.type('x')
    expect(await text.getAttribute('data-set')).toBe(null)
    await text.evaluate((element: HTMLTextAreaElement) => {
      element.value = 'two'
    })
    expect(await value()).toBe('two')
    expect(await text.getAttribute('data-set')).toBe('two')
    await page
      .locator('markdown-editor')
      .evaluate((element) => element.setAttribute('surface', 'native'))
    await content.waitFor({ state: 'detached' })
    const own = await text.evaluate((element) => Object.getOwnPropertyNames(element))
    expect(own).toEqual(['value'])
  })

  it('gets the focus by a click on the label and by focus()', async () => {
    const { page, content, text } = await open('one')
    const isFocused = (): Promise<boolean> =>
      content.evaluate((element) => element === document.activeElement)
    await page.locator('label').click()
    expect(await isFocused()).toBe(true)
    await content.blur()
    await text.evaluate((element) => element.focus())
    expect(await isFocused()).toBe(true)
    await content.blur()
    await text.evaluate((element) => HTMLElement.prototype.focus.call(element))
    expect(await isFocused()).toBe(true)
  })

  it('selects what a script selects in the textarea', async () => {
    const { page, select, value } = await open('one two three')
    await select(4, 7)
    await page.keyboard.type('2')
    expect(await value()).toBe('one 2 three')
  })

  it('shows next to itself why the form is not sent', async () => {
    const { page, text, content, button } = await open('')
    await text.evaluate((element) => element.setAttribute('required', ''))
    await page.evaluate(() => document.forms[0]?.checkValidity())
    expect(await content.evaluate((element) => element === document.activeElement)).toBe(false)
    await button('Publish').click()
    expect(await content.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await page.locator('.md-editor-notice').textContent()).toMatch(/fill/i)
    await page.keyboard.type('now')
    await button('Publish').click()
    await page.waitForURL('**/save')
    expect(site.server.saved[0]?.get('body')).toBe('now')
  })

  it('has the name, description and states of the field, and follows their changes', async () => {
    const opened = await site.open({
      fields: { body: 'one' },
      before: '<fieldset id="set"></fieldset><p id="hint">Short.</p>',
    })
    await opened.page.evaluate(() => {
      document.getElementById('set')?.append(document.querySelector('markdown-editor') as Element)
      document.querySelector('textarea')?.setAttribute('aria-describedby', 'hint')
    })
    const { page, text, content, button } = await useCodeMirror(opened)
    const box = page.getByRole('textbox', { name: 'body', exact: true })
    expect(await box.count()).toBe(1)
    expect(await content.getAttribute('aria-describedby')).toBe('hint')
    expect(await content.getAttribute('spellcheck')).toBe('true')
    expect(await content.getAttribute('aria-multiline')).toBe('true')

    await text.evaluate((element: HTMLTextAreaElement) => {
      element.readOnly = true
      element.required = true
      element.spellcheck = false
      element.lang = 'fr'
      element.setAttribute('aria-invalid', 'true')
    })
    await expect.poll(() => content.getAttribute('aria-readonly')).toBe('true')
    expect(await content.getAttribute('aria-required')).toBe('true')
    expect(await content.getAttribute('aria-invalid')).toBe('true')
    expect(await content.getAttribute('spellcheck')).toBe('false')
    expect(await content.getAttribute('lang')).toBe('fr')
    await content.click()
    await page.keyboard.type('x')
    await page.keyboard.press('Backspace')
    expect(await content.textContent()).toBe('one')
    expect(await button('Bold').getAttribute('aria-disabled')).toBe('true')

    await text.evaluate((element: HTMLTextAreaElement) => {
      element.readOnly = false
    })
    await page.locator('#set').evaluate((element) => element.setAttribute('disabled', ''))
    await expect.poll(() => content.getAttribute('aria-disabled')).toBe('true')
    expect(await content.getAttribute('contenteditable')).toBe('false')
    await page.locator('#set').evaluate((element) => element.removeAttribute('disabled'))
    await expect.poll(() => content.getAttribute('contenteditable')).toBe('true')
    await content.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('!')
    expect(await opened.text.evaluate((element: HTMLTextAreaElement) => element.value)).toBe('one!')
  })

  it('shows the placeholder of the textarea', async () => {
    const { page, text } = await open('')
    const shown = page.locator('.cm-placeholder')
    expect(await shown.textContent()).toBe('Add your comment here...')
    await text.evaluate((element) => element.setAttribute('placeholder', 'Other'))
    await expect.poll(() => shown.textContent()).toBe('Other')
  })

  it('restores the textarea and its label when the editor is removed', async () => {
    const opened = await site.open({ fields: { body: 'one' } })
    const { page } = opened
    await page.evaluate(() => document.querySelector('textarea')?.setAttribute('tabindex', '3'))
    const before = await page.locator('textarea').evaluate((element) => element.outerHTML)
    const label = await page.locator('label').evaluate((element) => element.outerHTML)
    const codeMirror = await useCodeMirror(opened)
    await typeAtEnd(codeMirror, '!')
    await page
      .locator('markdown-editor')
      .evaluate((element) => element.replaceWith(...element.querySelectorAll('textarea')))
    expect(await page.locator('textarea').evaluate((element) => element.outerHTML)).toBe(before)
    expect(await page.locator('label').evaluate((element) => element.outerHTML)).toBe(label)
    expect(await page.locator('textarea').inputValue()).toBe('one!')
    expect(
      await page.locator('textarea').evaluate((element) => Object.getOwnPropertyNames(element)),
    ).toEqual([])
    expect(await page.locator('.cm-editor').count()).toBe(0)
  })
})
