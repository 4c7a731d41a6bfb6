import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { chooseOnly, gate, holdUploads, PHOTO } from '../support/choose-files.ts'
import type { OpenPage } from '../support/open-page.ts'
import { problem } from '../support/test-server.ts'
import { useTestSite } from '../support/test-site.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('the dialogs that insert files', () => {
  const site = useTestSite()
  const status = (page: Page): Locator => page.getByRole('dialog').getByRole('status')
  const description = (page: Page): Locator => page.getByLabel('Description for screen readers')
  const selected = (page: Page): Promise<string> =>
    page.evaluate(() => {
      const field = document.activeElement as HTMLInputElement
      return field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0)
    })

  it('ask for the description of a chosen file, with the keyboard only', async () => {
    const { page, text, button } = await site.open()
    // This call comes first, because Playwright needs some time to intercept the file chooser.
    const chosen = page.waitForEvent('filechooser')
    await button('Image').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    expect(await status(page).textContent()).toBe('')
    await page.keyboard.press('Enter')
    await (await chosen).setFiles(PHOTO)
    await status(page).getByText('photo.png', { exact: true }).waitFor()
    expect(await page.getByLabel('Address').isVisible()).toBe(false)
    expect(await selected(page)).toBe('photo')
    expect(site.server.posted).toEqual([])
    await page.keyboard.type('Boats [at night]')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => text.inputValue())
      .toMatch(/^!\[Boats \\\[at night\\\]\]\(\/media\/\S+\)\n\n$/)
    expect(await text.evaluate((area) => area === document.activeElement)).toBe(true)
  })

  it('replace the name of the previous file, but not a description that the user wrote', async () => {
    const opened = await site.open()
    const { page, button } = opened
    await button('Image').click()
    await chooseOnly(opened, 'Choose files', [PHOTO])
    await chooseOnly(opened, 'Choose files', [{ ...PHOTO, name: 'second.png' }])
    expect(await description(page).inputValue()).toBe('second')
    await description(page).fill('Boats')
    await chooseOnly(opened, 'Choose files', [PHOTO])
    expect(await status(page).textContent()).toBe('photo.png')
    expect(await selected(page)).toBe('Boats')
  })

  it('show the name of a file without characters that reverse it', async () => {
    const opened = await site.open()
    await opened.button('Image').click()
    await chooseOnly(opened, 'Choose files', [{ ...PHOTO, name: 'a\u202egpj.\u2066png' }])
    expect(await status(opened.page).textContent()).toBe('agpj.png')
    expect(await selected(opened.page)).toBe('agpj')
  })

  it('insert several files with their names', async () => {
    const opened = await site.open()
    const { page, text, button } = opened
    await button('Image').click()
    await description(page).fill('Boats')
    await chooseOnly(opened, 'Choose files', [PHOTO, { ...PHOTO, name: 'second.png' }])
    await status(page).getByText('2 files', { exact: true }).waitFor()
    expect(await description(page).isVisible()).toBe(false)
    await button('Insert').click()
    await expect
      .poll(() => text.inputValue())
      .toMatch(/^!\[photo\]\(\/media\/\S+\)\n\n!\[second\]\(\/media\/\S+\)\n\n$/)
  })

  it.each([
    ['Image', { ...PHOTO, name: 'a.png' }, /^!\[\]\(\S+\)\n\n$/],
    [
      'Document',
      { ...PHOTO, name: 'a.pdf', mimeType: 'application/pdf' },
      /^\[a\.pdf\]\(\S+\)\n\n$/,
    ],
  ])('accept an empty description: %s', async (name, file, written) => {
    const opened = await site.open()
    await opened.press(name)
    await chooseOnly(opened, 'Choose files', [file])
    await opened.page.keyboard.press('Backspace')
    await opened.page.keyboard.press('Enter')
    await expect.poll(() => opened.text.inputValue()).toMatch(written)
  })

  it('keep the file if the text has become read-only', async () => {
    const opened = await site.open({ fields: { body: 'text' } })
    const { page, text, button, select } = opened
    await select(4, 4)
    await button('Image').click()
    await chooseOnly(opened, 'Choose files', [PHOTO])
    await text.evaluate((area: HTMLTextAreaElement) => {
      area.readOnly = true
    })
    await button('Insert').click()
    await page.getByText('The text cannot be changed at the moment.').first().waitFor()
    expect(site.server.posted).toEqual([])
    await text.evaluate((area: HTMLTextAreaElement) => {
      area.readOnly = false
    })
    await button('Try again').click()
    await expect.poll(() => text.inputValue()).toMatch(/^text\n\n!\[photo\]\(\S+\)\n\n$/)
  })

  it('discard the files when they are cancelled', async () => {
    const opened = await site.open({ fields: { body: 'text' } })
    const { page, text, button } = opened
    await button('Image').click()
    await chooseOnly(opened, 'Choose files', [PHOTO])
    await button('Cancel').click()
    await button('Image').click()
    expect(await status(page).textContent()).toBe('')
    await button('Insert').click()
    await page.getByRole('alert').getByText('Choose a file or enter an address.').waitFor()
    expect(await text.inputValue()).toBe('text')
    expect(site.server.posted).toEqual([])
  })

  it('report files that the server would reject below the button, and insert none', async () => {
    const opened = await site.open({
      defaults: { maxUploadSize: 1024, uploadTypes: ['image/png'] },
    })
    const { page, text, button } = opened
    const script = { ...PHOTO, name: 'script.js', mimeType: 'text/javascript' }
    const large = { ...PHOTO, name: 'large.png', buffer: Buffer.alloc(2048) }
    await button('Image').click()
    await chooseOnly(opened, 'Choose files', [PHOTO])
    await chooseOnly(opened, 'Choose files', [PHOTO, script, large])
    const alert = page.getByRole('alert').filter({ visible: true })
    await alert.getByText('script.js was not uploaded. Only these files are accepted').waitFor()
    await alert.getByText('large.png is too large (2 kB). The limit is 1 kB.').waitFor()
    const chooser = button('Choose files')
    expect(await chooser.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await chooser.getAttribute('aria-describedby')).toBe(await alert.getAttribute('id'))
    const tops = [chooser, alert, page.getByLabel('Address')].map(async (each) => {
      const { y = 0 } = (await each.boundingBox()) ?? {}
      return y
    })
    const [above = 0, middle = 0, below = 0] = await Promise.all(tops)
    expect(above < middle && middle < below).toBe(true)
    expect(await page.getByLabel('Address').getAttribute('aria-invalid')).toBeNull()
    expect(await description(page).inputValue()).toBe('')
    await button('Insert').click()
    expect(await text.inputValue()).toBe('')
    await chooseOnly(opened, 'Choose files', [PHOTO])
    expect(await alert.count()).toBe(0)
    await button('Insert').click()
    await expect.poll(() => text.inputValue()).toMatch(/^!\[photo\]\(\S+\)\n\n$/)
  })

  describe('and replace an image', () => {
    const body = 'a ![b](</d e.png> "t") f'
    const replaced = /^a !\[b\]\(<\/media\/\S+> "t"\) f$/
    const openImage = async (): Promise<OpenPage> => {
      const opened = await site.open({ fields: { body } })
      await opened.select(6, 6)
      await opened.button('Image').click()
      await chooseOnly(opened, 'Choose a file', [PHOTO])
      return opened
    }

    it('keep its description and title, in one undo step', async () => {
      const release = holdUploads(site.server)
      const { page, text, button } = await openImage()
      expect(await selected(page)).toBe('b')
      await button('Apply').click()
      await page.getByRole('progressbar', { name: 'Uploading photo.png' }).waitFor()
      expect(await text.inputValue()).toBe(body)
      expect(await text.evaluate((area) => area === document.activeElement)).toBe(true)
      release()
      await expect.poll(() => text.inputValue()).toMatch(replaced)
      await page.keyboard.press('Control+z')
      expect(await text.inputValue()).toBe(body)
    })

    it('wait for the upload before the form is sent', async () => {
      const release = holdUploads(site.server)
      const { page, button } = await openImage()
      await button('Apply').click()
      await button('Publish').click()
      await page.getByText('Waiting for uploads before the form is sent…').first().waitFor()
      release()
      await page.waitForURL('**/save')
      expect(site.server.saved[0]?.get('body')).toMatch(replaced)
    })

    it('replace the chosen one of equal images, wherever the caret is', async () => {
      const { opened: loads, open: load } = gate()
      const image = '![b](/c.png)'
      const opened = await site.open({}, {})
      const { page, text, button, select } = opened
      await page.route(/\/prepare-fields-\w+\.js$/, async (route) => {
        await loads
        await route.continue()
      })
      await page.reload()
      await text.fill(`${image} ${image} ${image}`)
      await select(20, 20)
      await button('Image').click()
      await chooseOnly(opened, 'Choose a file', [PHOTO])
      await button('Apply').click()
      await select(0, 0)
      await page.keyboard.type('more ')
      load()
      await expect
        .poll(() => text.inputValue())
        .toMatch(/^more !\[b\]\(\/c\.png\) !\[b\]\(\/media\/\S+\) !\[b\]\(\/c\.png\)$/)
    })

    it('keep the chosen image after a retry, because the text was too long', async () => {
      const opened = await site.open({
        fields: { body: `![one](/a.png) ![two](/b.png)` },
        widget: { attrs: { maxlength: 30 } },
      })
      const { page, text, button, select } = opened
      await select(4, 4)
      await button('Image').click()
      await chooseOnly(opened, 'Choose a file', [PHOTO])
      await button('Apply').click()
      await page.getByText('The text would be too long for this field.').first().waitFor()
      await select(20, 20)
      await text.evaluate((area) => area.setAttribute('maxlength', '300'))
      await button('Try again').click()
      await expect
        .poll(() => text.inputValue())
        .toMatch(/^!\[one\]\(<?\/media\/\S+\) !\[two\]\(\/b\.png\)$/)
    })

    it.each([
      ['was changed', 'a ![c](</d e.png> "t") f'],
      ['was copied', `${body}\n\n${body}`],
    ])('offer to insert the file elsewhere if the image %s', async (_, changed) => {
      const release = holdUploads(site.server)
      const { page, text, button } = await openImage()
      await button('Apply').click()
      await text.fill(changed)
      release()
      await page.getByText('photo.png was uploaded, but its place').first().waitFor()
      expect(await text.inputValue()).toBe(changed)
      await button('Insert').click()
      await expect.poll(() => text.inputValue()).toMatch(/^!\[b\]\(\S+ "t"\)$/m)
      expect(await text.inputValue()).toContain(changed)
    })

    it('offer to insert the file elsewhere if the image is gone before the button', async () => {
      const { page, text, button } = await openImage()
      await text.evaluate((area: HTMLTextAreaElement) => {
        area.value = 'a'
      })
      await button('Apply').click()
      await page.getByText('photo.png was uploaded, but its place').first().waitFor()
      expect(await text.inputValue()).toBe('a')
    })

    it('keep a changed description in the dialog if the image is gone', async () => {
      const { page, text, select, button } = await site.open({ fields: { body } })
      await select(6, 6)
      await button('Image').click()
      await description(page).fill('Boats')
      await text.evaluate((area: HTMLTextAreaElement) => {
        area.value = 'a'
      })
      await button('Apply').click()
      await page.getByText('The image is no longer in the text.', { exact: true }).waitFor()
      expect(await description(page).inputValue()).toBe('Boats')
      expect(await text.inputValue()).toBe('a')
    })

    it('can give up a failed file, which leaves the image', async () => {
      site.server.onUpload = () => problem(503, 'storage_failed', 'Try later.')
      const { page, text, button } = await openImage()
      await button('Apply').click()
      await page.getByText('photo.png was not uploaded. Try later.').first().waitFor()
      expect(await button('Remove photo.png from the text').count()).toBe(0)
      await button('Cancel the upload of photo.png').click()
      await page.getByText('Try later.').first().waitFor({ state: 'detached' })
      expect(await text.inputValue()).toBe(body)
    })

    it('write the new description', async () => {
      const { page, text } = await openImage()
      await page.keyboard.type('Boats')
      await page.keyboard.press('Enter')
      await expect.poll(() => text.inputValue()).toMatch(/^a !\[Boats\]\(<\/media\/\S+> "t"\) f$/)
    })

    it('keep the image when the server rejects the file', async () => {
      site.server.onUpload = () => problem(415, 'unsupported_media_type', 'Not allowed.')
      const { page, text, button } = await openImage()
      await button('Apply').click()
      await page.getByText('photo.png was not uploaded. Not allowed.').first().waitFor()
      expect(await text.inputValue()).toBe(body)
    })

    it('keep the image when the upload is cancelled', async () => {
      const release = holdUploads(site.server)
      const { page, text, button, select } = await openImage()
      await button('Apply').click()
      await select(0, 0)
      await page.keyboard.type('more ')
      await button('Cancel the upload of photo.png').click()
      await page.getByRole('progressbar').waitFor({ state: 'detached' })
      release()
      expect(await text.inputValue()).toBe(`more ${body}`)
    })
  })

  it.each(['light', 'dark'] as const)('pass axe and are easy to touch: %s', async (colorScheme) => {
    const viewport = { width: 360, height: 640 }
    const opened = await site.open({}, { colorScheme, viewport, hasTouch: true, isMobile: true })
    const { page, button } = opened
    await button('Image').tap()
    const name = `${'long'.repeat(30)}.png`
    await chooseOnly(opened, 'Choose files', [{ ...PHOTO, name }])
    const dialog = page.getByRole('dialog')
    await dialog.evaluate((element) => Promise.all(element.getAnimations().map((a) => a.finished)))
    await page.evaluate(axe)
    const { violations } = (await page.evaluate('axe.run(document)')) as {
      violations: { id: string }[]
    }
    expect(violations.map(({ id }) => id)).toEqual([])
    const heights = await dialog
      .locator('button, input')
      .filter({ visible: true })
      .evaluateAll((all) => all.map((element) => element.getBoundingClientRect().height))
    expect(Math.min(...heights)).toBeGreaterThan(43.99) // 44, except for rounding.
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
  })
})
