import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { MarkdownEditorElement } from '../../src/element/index.ts'
import { choose, gate, PHOTO } from '../support/choose-files.ts'
import { store } from '../support/test-server.ts'
import { useTestSite } from '../support/test-site.ts'

const PLACEHOLDER = '![Uploading photo.png…]()'

type Attribute = readonly [name: string, value: string]

const GERMAN: Attribute = ['locale', 'de']

/** Runs in a page: notes the events of uploads, and changes the editor when one begins and whenever it is built then. */
function changeWith(attributes: readonly Attribute[]): void {
  const seen: string[] = []
  const changes = [...attributes]
  for (const type of ['upload-start', 'upload-success', 'upload-error', 'upload-abort', 'ready']) {
    document.addEventListener(type, ({ target }) => {
      const element = target as MarkdownEditorElement
      if (type !== 'ready') seen.push(type)
      const isDue = type === 'ready' ? seen.length > 0 : type === 'upload-start'
      const change = isDue ? changes.shift() : undefined
      if (change !== undefined) element.setAttribute(...change)
      else if (type === 'ready') Object.assign(globalThis, { finalizing: element.finalize() })
    })
  }
  Object.assign(globalThis, { seen })
}

describe('uploads of <markdown-editor> whose language changes', () => {
  const site = useTestSite()

  const seenBy = (page: Page): Promise<string[]> =>
    page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen)
  /** What became of the call of `finalize()` that was made as soon as the last editor was ready. */
  const finalized = (page: Page): Promise<unknown> =>
    page.evaluate(async () => {
      const done = await (globalThis as unknown as { finalizing: Promise<boolean> }).finalizing
      return [done, document.querySelector('markdown-editor')?.value]
    })

  it.each([
    { changes: [GERMAN] },
    // An editor that ends before it has taken over what the one before has left.
    { changes: [GERMAN, ['draft-max-age', '60'] as const] },
  ])(
    'go on in the editor that comes, and finalize() waits for them: $changes',
    async ({ changes }) => {
      const held = gate()
      site.server.onUpload = async (file) => {
        await held.opened
        return store(file)
      }
      const opened = await site.open({ fields: { body: 'text' } })
      await opened.page.evaluate(changeWith, changes)
      await opened.text.evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(4, 4))
      await choose(opened, 'Image', [PHOTO])
      await expect
        .poll(() => seenBy(opened.page))
        .toEqual(['upload-start', 'upload-abort', 'upload-start'])
      // As it was written: what stands in the text is not changed for its language.
      expect(await opened.text.inputValue()).toBe(`text\n\n${PLACEHOLDER}\n`)
      held.open()
      const [done, text] = (await finalized(opened.page)) as [boolean, string]
      expect(done).toBe(true)
      expect(text).toMatch(/^text\n\n!\[photo\]\(\/media\/\S+\)\n$/)
      expect((await seenBy(opened.page)).slice(3)).toEqual(['upload-success'])
    },
  )

  it('hold the text back on while their file is missing', async () => {
    const opened = await site.open({ fields: { body: `text ${PLACEHOLDER}` } })
    await opened.page.getByText('The upload of photo.png was interrupted.').first().waitFor()
    const text = 'text ![photo.png (not uploaded)]()'
    const seen = await opened.page
      .locator('markdown-editor')
      .evaluate(async (element: MarkdownEditorElement) => {
        const ready = new Promise((resolve) =>
          element.addEventListener('ready', resolve, { once: true }),
        )
        element.setAttribute('locale', 'de')
        await ready
        return [element.value, await element.finalize(), element.value]
      })
    expect(seen).toEqual([text, false, text])
    await opened.page
      .getByText(/photo\.png.*unterbrochen/)
      .first()
      .waitFor()
  })
})
