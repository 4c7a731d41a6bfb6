import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { MarkdownEditorElement } from '../../src/element/index.ts'
import type { OpenPage } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('completions', () => {
  const site = useTestSite()
  const list = (page: Page): Locator => page.getByRole('listbox')
  const options = (page: Page): Promise<string[]> => page.getByRole('option').allTextContents()

  async function openWithPeople(
    body = '',
    ...more: Parameters<typeof site.open>
  ): Promise<OpenPage> {
    const [parts, settings] = more
    const opened = await site.open({ fields: { body }, ...parts }, settings)
    await opened.page.evaluate(() => {
      const editor = document.querySelector('markdown-editor') as MarkdownEditorElement
      const people = ['ada', 'adele', 'grace', '<img src=x onerror=alert(1)>']
      editor.completions = [
        {
          trigger: '@',
          search: (query) =>
            people
              .filter((label) => label.includes(query))
              .map((label) => ({ label, detail: `${label} L.` })),
        },
      ]
    })
    await opened.text.focus()
    opened.page.setDefaultTimeout(5000)
    return opened
  }

  it('are offered while a name is typed, and accepted with Enter as one undo step', async () => {
    const { page, text } = await openWithPeople()
    await page.keyboard.type('hello @ad')
    await list(page).waitFor()
    expect(await options(page)).toEqual(['adaada L.', 'adeleadele L.'])
    await page.keyboard.press('ArrowDown')
    expect(await page.getByRole('option', { selected: true }).textContent()).toContain('adele')
    const active = await text.getAttribute('aria-activedescendant')
    expect(await page.locator(`#${active}`).textContent()).toContain('adele')
    expect(await text.getAttribute('aria-controls')).toBe(await list(page).getAttribute('id'))
    await page.getByRole('status').getByText('2 suggestions').waitFor()
    await page.keyboard.press('Enter')
    expect(await text.inputValue()).toBe('hello @adele ')
    expect(await list(page).count()).toBe(0)
    expect(await text.getAttribute('aria-activedescendant')).toBeNull()
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe('hello @ad')
  })

  it('are accepted with Tab or a click, and closed by Escape, a click elsewhere or the end of the word', async () => {
    const { page, text } = await openWithPeople()
    await page.keyboard.type('@g')
    await list(page).waitFor()
    await page.keyboard.press('Tab')
    expect(await text.inputValue()).toBe('@grace ')
    await page.keyboard.type('@')
    await page.getByRole('option', { name: 'ada' }).click()
    expect(await text.inputValue()).toBe('@grace @ada ')
    for (const leave of [
      () => page.keyboard.press('Escape'),
      () => page.mouse.click(5, 5),
      () => page.keyboard.type(' '),
      () => page.keyboard.press('Home'),
    ]) {
      await text.focus()
      await page.keyboard.press('End')
      await page.keyboard.type(' @a')
      await list(page).waitFor()
      await leave()
      await list(page).waitFor({ state: 'detached' })
    }
  })

  it('do not capture Enter, Tab and the arrow keys when there are none', async () => {
    const { page, text } = await openWithPeople()
    await page.keyboard.type('- @nobody')
    await page.keyboard.press('Enter')
    await expect.poll(() => text.inputValue()).toBe('- @nobody\n- ')
  })

  it.each([
    ['in a word', 'ada'],
    ['in an address', 'https://a.example/'],
    ['in a code span', 'see `'],
    ['in a code block', '```\n'],
    ['in an indented block', '    '],
    ['in the address of a link', '[a](/'],
  ])('are not offered %s', async (_, before) => {
    const { page, text } = await openWithPeople(before)
    await text.press('Control+End')
    await page.keyboard.type('@ad')
    await expect.poll(() => text.inputValue()).toBe(`${before}@ad`)
    expect(await list(page).count()).toBe(0)
    await page.keyboard.press('Enter')
    expect(await text.inputValue()).not.toContain('@ada')
  })

  it('are offered after a code span, a bracket and a line break', async () => {
    for (const before of ['`a` ', '(', 'a\n', '> ', '**']) {
      const { page, text } = await openWithPeople(before)
      await text.press('Control+End')
      await page.keyboard.type('@ad')
      await list(page).waitFor()
    }
  })

  it('are shown as text', async () => {
    const { page } = await openWithPeople()
    await page.keyboard.type('@')
    await page.getByText('<img src=x onerror=alert(1)>', { exact: true }).waitFor()
    expect(await page.locator('[role=listbox] img').count()).toBe(0)
  })

  it('show the result for the latest input, and abort earlier searches', async () => {
    const { page, text } = await site.open()
    await page.evaluate(() => {
      const waiting = new Map<string, () => void>()
      const aborted: string[] = []
      Object.assign(globalThis, { waiting, aborted })
      const editor = document.querySelector('markdown-editor') as MarkdownEditorElement
      editor.completions = [
        {
          trigger: '@',
          search: (query, signal) =>
            new Promise((resolve) => {
              signal.addEventListener('abort', () => aborted.push(query))
              waiting.set(query, () => resolve([{ label: `answer to ${query}` }]))
            }),
        },
      ]
    })
    const answer = (query: string): Promise<void> =>
      page.evaluate((name) => {
        ;(globalThis as unknown as { waiting: Map<string, () => void> }).waiting.get(name)?.()
      }, query)
    const isAsked = (query: string): Promise<boolean> =>
      page.evaluate(
        (name) => (globalThis as unknown as { waiting: Map<string, () => void> }).waiting.has(name),
        query,
      )
    await text.focus()
    for (const [key, query] of [
      ['@', ''],
      ['a', 'a'],
      ['b', 'ab'],
    ] as const) {
      await page.keyboard.type(key)
      await expect.poll(() => isAsked(query)).toBe(true)
    }
    await answer('ab')
    await page.getByText('answer to ab').waitFor()
    await answer('a')
    expect(await options(page)).toEqual(['answer to ab'])
    expect(
      await page.evaluate(() => (globalThis as unknown as { aborted: string[] }).aborted),
    ).toEqual(['', 'a'])
  })

  it('continue after a provider that fails, and report the error', async () => {
    const { page, text, faults } = await site.open()
    await page.evaluate(() => {
      const editor = document.querySelector('markdown-editor') as MarkdownEditorElement
      editor.completions = [
        {
          trigger: '@',
          search: (query) =>
            query === 'a' ? Promise.reject(new Error('no answer')) : [{ label: 'one' }],
        },
      ]
    })
    await text.focus()
    await page.keyboard.type('@a')
    await expect.poll(() => faults.splice(0).join()).toContain('no answer')
    expect(await list(page).count()).toBe(0)
    await page.keyboard.type('b')
    await list(page).waitFor()
  })

  it('wait for the end of a composition', async () => {
    const { page, text } = await openWithPeople()
    const client = await page.context().newCDPSession(page)
    await page.keyboard.type('@')
    await list(page).waitFor()
    await client.send('Input.imeSetComposition', { text: 'gr', selectionStart: 2, selectionEnd: 2 })
    await list(page).waitFor({ state: 'detached' })
    await client.send('Input.insertText', { text: 'gr' })
    await list(page).waitFor()
    expect(await options(page)).toEqual(['gracegrace L.'])
    expect(await text.inputValue()).toBe('@gr')
  })

  it('accept a property that was set before the element is defined, and disappear with the element', async () => {
    const { page } = await site.open()
    await page.evaluate(() => {
      const editor = document.querySelector('markdown-editor') as MarkdownEditorElement
      const host = editor.cloneNode() as MarkdownEditorElement
      Object.defineProperty(host, 'completions', {
        configurable: true,
        value: [{ trigger: '@', search: () => [{ label: 'early' }] }],
      })
      host.append(document.createElement('textarea'))
      editor.replaceWith(host)
    })
    await page.locator('textarea').pressSequentially('@')
    await page.getByRole('option', { name: 'early' }).waitFor()
    await page.locator('markdown-editor').evaluate((editor) => editor.remove())
    expect(await list(page).count()).toBe(0)
  })

  it.each([
    ['light', 1280, 'ltr'],
    ['dark', 320, 'rtl'],
  ] as const)('pass axe and stay in the window: %s, %i px, %s', async (colorScheme, width, dir) => {
    const settings = { colorScheme, viewport: { width, height: 600 } }
    const { page } = await openWithPeople('', {}, settings)
    await page.evaluate((value) => document.documentElement.setAttribute('dir', value), dir)
    await page.keyboard.type('@a')
    await list(page).waitFor()
    await page.evaluate(axe)
    const { violations } = (await page.evaluate("axe.run('markdown-editor')")) as {
      violations: { id: string }[]
    }
    expect(violations.map(({ id }) => id)).toEqual([])
    const box = await list(page).boundingBox()
    expect(
      box !== null && box.x >= 0 && box.x + box.width <= width && box.y + box.height <= 600,
    ).toBe(true)
  })

  it.each(['ltr', 'rtl'])('stay within the width of the editor: %s', async (dir) => {
    const { page } = await openWithPeople('')
    await page.evaluate((value) => document.documentElement.setAttribute('dir', value), dir)
    const editor = page.locator('markdown-editor')
    await editor.evaluate((element) => element.style.setProperty('inline-size', '40rem'))
    await page.keyboard.type(`${'word '.repeat(12)}@a`)
    await list(page).waitFor()
    const [around, box] = [await editor.boundingBox(), await list(page).boundingBox()]
    expect(box?.x).toBeGreaterThanOrEqual(around?.x ?? Number.NaN)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(
      (around?.x ?? 0) + (around?.width ?? 0),
    )
  })
})
