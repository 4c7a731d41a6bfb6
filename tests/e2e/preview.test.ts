import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { signIn } from '../support/sign-in.ts'
import { useDemo } from '../support/use-demo.ts'

describe('the preview of the demo', () => {
  const site = useDemo()

  it('renders the HTML of the post page in a Worker', async () => {
    const page = await site.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text())
    })
    await signIn(page)
    await page.goto('/posts/new')
    await page.getByLabel('Title').fill('Both alike')
    const text =
      '# Head\n\nA ==mark==, a note[^1], `code`.\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n```js\nlet a = 1\n```\n\n[^1]: Note'
    await page.getByRole('textbox', { name: 'Text' }).fill(text)
    await page.getByRole('tab', { name: 'Preview' }).click()
    const preview = page.locator('.md-editor-preview')
    await preview.getByRole('heading', { name: 'Head' }).waitFor()
    const worker = page.workers().map((each) => new URL(each.url()).pathname)
    expect(worker).toEqual([
      expect.stringMatching(/^\/md-editor\/assets\/[^/]+\/preview\.worker\.js$/),
    ])
    const shown = await preview.evaluate((element) => element.innerHTML)

    await page.getByRole('button', { name: 'Publish' }).click()
    await page.waitForURL(/\/posts\/(?!new)[^/]+$/)
    expect(
      (await page.locator('.md-content').evaluate((element) => element.innerHTML)).trim(),
    ).toBe(shown.trim())
    expect(faults).toEqual([])
  })

  it.each([
    { colorScheme: 'light', forcedColors: 'none' },
    { colorScheme: 'dark', forcedColors: 'none' },
    { colorScheme: 'light', forcedColors: 'active' },
  ] as const)(
    'looks like the post page: $colorScheme, forced colors $forcedColors',
    async (media) => {
      const page = await site.newPage(media)
      await page.route('https://**', (route) => route.abort())
      await signIn(page)
      await page.getByRole('link', { name: 'New post' }).click()
      await page.getByRole('link', { name: 'an example' }).click()
      await page.getByRole('tab', { name: 'Preview' }).click()
      await page.locator('.md-editor-preview .footnotes').waitFor()
      const preview = await looksOf(page.locator('.md-editor-preview'))
      await page.getByRole('button', { name: 'Publish' }).click()
      await page.waitForURL(/\/posts\/(?!new)[^/]+$/)
      const post = await looksOf(page.locator('article .md-content'))
      expect(post.length).toBeGreaterThan(150)
      expect(preview).toEqual(post)
    },
  )
})

/** Returns the computed style of all descendants of an element, one line per element. */
function looksOf(content: Locator): Promise<string[]> {
  return content.evaluate((root) => {
    const properties = [
      ...[
        'display',
        'direction',
        'unicode-bidi',
        'text-align',
        'color',
        'background-color',
        'border',
        'border-radius',
      ],
      ...[
        'font',
        'font-style',
        'text-decoration',
        'margin',
        'padding',
        'white-space',
        'overflow',
        'list-style-type',
      ],
    ]
    return [...root.querySelectorAll('*')].map((element) => {
      const style = getComputedStyle(element)
      return [
        element.localName,
        ...properties.map((name) => `${name}: ${style.getPropertyValue(name)}`),
      ].join('; ')
    })
  })
}
