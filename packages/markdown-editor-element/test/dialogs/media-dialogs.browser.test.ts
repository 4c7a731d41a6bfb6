import { describe, expect, it } from 'vitest'
import type { OpenPage } from '../support/open-page.ts'
import { useTestSite } from '../support/test-site.ts'
import { loadWriting } from '../support/writing.ts'

describe('the dialogs for media', () => {
  const site = useTestSite()

  describe('for players', () => {
    it('extract the address from the code of a player', async () => {
      const { page, text, press } = await site.open({ fields: { body: 'text' } })
      await press('Embed')
      const code =
        '<iframe width="5" src="https://www.youtube.com/embed/dQw4w9WgXcQ?si=a&amp;start=9"></iframe>'
      await page.getByLabel('Address').fill(code)
      await page.getByRole('button', { name: 'Insert' }).click()
      expect(await text.inputValue()).toBe(
        'text\n\nhttps://www.youtube.com/embed/dQw4w9WgXcQ?si=a&start=9\n\n',
      )
    })

    it('reject an address that is not on the web', async () => {
      const { page, text, press } = await site.open({ fields: { body: 'text' } })
      for (const name of ['Embed', 'Video']) {
        await press(name)
        await page.getByLabel('Address').fill('youtube')
        await page.keyboard.press('Enter')
        await page.getByRole('dialog').getByText('This is not a valid address.').waitFor()
        await page.keyboard.press('Escape')
        expect(await text.inputValue()).toBe('text')
      }
    })

    it.each(['Embed', 'Video'])(
      'insert a link at the first press of Enter, and say so: %s',
      async (name) => {
        const { page, text, button, press } = await site.open()
        await button('More').click()
        await press(name)
        await page.getByLabel('Address').fill('https://example.org/page')
        await page.keyboard.press('Enter')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        const note = 'Pages from example.org cannot be embedded, only linked.'
        await page.getByRole('status').getByText(note, { exact: true }).waitFor()
        await page.locator('.md-editor-notice', { hasText: note }).waitFor()
        expect(await text.inputValue()).toBe('<https://example.org/page>\n\n')
      },
    )

    it('insert a link to a page that cannot be embedded, and explain it', async () => {
      const { page, text, press } = await site.open({ defaults: { embedHosts: ['maps.example'] } })
      await press('Embed')
      await page.getByLabel('Address').fill('https://youtu.be/dQw4w9WgXcQ')
      await page
        .getByRole('status')
        .getByText('Pages from youtu.be cannot be embedded, only linked.')
        .waitFor()
      await page.getByLabel('Title').fill('A song')
      await page.keyboard.press('Enter')
      expect(await text.inputValue()).toBe('[A song](https://youtu.be/dQw4w9WgXcQ)\n\n')
      await press('Embed')
      await page.getByLabel('Address').fill('https://maps.example/a?b')
      await page.keyboard.press('Enter')
      expect(await text.inputValue()).toContain(
        '<iframe src="https://maps.example/a?b" title="maps.example"',
      )
    })
  })

  it('accept the address of an image, with and without uploads', async () => {
    for (const uploadUrl of ['/upload', '']) {
      const { page, text, button } = await site.open({
        fields: { body: 'a' },
        widget: { uploadUrl },
      })
      await button('Image').click()
      await page.getByRole('dialog').waitFor()
      expect(await button('Choose files').count()).toBe(uploadUrl === '' ? 0 : 1)
      const missing = uploadUrl === '' ? 'Enter an address.' : 'Choose a file or enter an address.'
      await page.getByRole('button', { name: 'Insert' }).click()
      await page.getByRole('dialog').getByText(missing, { exact: true }).waitFor()
      await page.getByLabel('Address').fill('example.org/cat.png')
      await page.getByLabel('Description').fill('A cat')
      await page.keyboard.press('Enter')
      await page.getByRole('status').getByText('Inserted', { exact: true }).waitFor()
      expect(await text.inputValue()).toBe('a\n\n![A cat](https://example.org/cat.png)\n\n')
    }
  })
})

describe('the editor with a dialog for media', () => {
  const site = useTestSite()
  const open = async (body: string): Promise<OpenPage> => {
    const opened = await site.open({ fields: { body } })
    await loadWriting(opened.page)
    return opened
  }

  it.each([
    'one|\n\nthree',
    'one|\n\n\nthree',
    '# one|\nthree',
    'one\nhttps://youtu.be/dQw4w9WgXcQ|\nthree',
    'one\n\nhttps://youtu.be/dQw4w9WgXcQ|\n\nthree',
  ])('puts text typed after a titled embed in its own paragraph: %j', async (before) => {
    const { page, text, select, press } = await open(before.replace('|', ''))
    await select(before.indexOf('|'), before.indexOf('|'))
    await press('Embed')
    await page.getByLabel('Address').fill('https://youtu.be/dQw4w9WgXcQ')
    await page.getByLabel('Title for screen readers').fill('Boats')
    await page.getByRole('dialog').getByRole('button', { name: 'Insert' }).click()
    await page.keyboard.type('two')
    expect(await text.inputValue()).toMatch(
      /one\n\n<iframe [^\n]* title="Boats" [^\n]*<\/iframe>\n\ntwo\n\n+three$/,
    )
  })

  it('inserts an embed after a code block, not instead of an address in it', async () => {
    const code = '```\nhttps://youtu.be/dQw4w9WgXcQ\nlast\n```'
    const { page, text, select, press } = await open(`${code}\n\nafter`)
    await select(6, 6)
    await press('Embed')
    await page.getByRole('dialog').getByRole('button', { name: 'Insert' }).click()
    expect(await text.inputValue()).toBe(`${code}\n\nhttps://youtu.be/dQw4w9WgXcQ\n\n\n\nafter`)
  })

  it('announces once what an address becomes, and nothing while it is typed', async () => {
    const { page, press } = await open('')
    await press('Embed')
    const statusLine = page.getByRole('dialog').getByRole('status')
    const spokenTexts = await statusLine.evaluateHandle((element) => {
      const texts: (string | null)[] = []
      new MutationObserver(() => texts.push(element.textContent)).observe(element, {
        childList: true,
        characterData: true,
        subtree: true,
      })
      return texts
    })
    await page
      .getByLabel('Address')
      .pressSequentially('https://www.youtube.com/watch?v=dQw4w9WgXcQ')
    await statusLine.getByText('The address becomes a player.').waitFor()
    expect(await spokenTexts.jsonValue()).toEqual(['The address becomes a player.'])
  })

  it('edits the image that is selected', async () => {
    const { page, text, select, button } = await open('a ![b](/c.d) e')
    await select(2, 12)
    await button('Image').click()
    await page.getByRole('dialog', { name: 'Edit image' }).waitFor()
    await page.keyboard.type('Boats') // The old description is selected.
    await page.keyboard.press('Enter')
    expect(await text.inputValue()).toBe('a ![Boats](/c.d) e')
  })

  it.each(['![b](/c)|', '![b](/c)\n|', '![b](/c)\n\n|', '![b](/c)|![d](/e)'])(
    'inserts another image after an image, and says so: %j',
    async (before) => {
      const caret = before.indexOf('|')
      const body = before.replace('|', '')
      const { page, text, select, button } = await open(body)
      await select(caret, caret)
      await button('Image').click()
      const dialog = page.getByRole('dialog', { name: 'Insert image' })
      await dialog.getByLabel('Address').fill('https://example.com/f.png')
      await dialog.getByRole('button', { name: 'Insert' }).click()
      expect(await text.inputValue()).toBe(`${body.trim()}\n\n![](https://example.com/f.png)\n\n`)
    },
  )

  it('has a name and a focused control that tell a screen reader what it does', async () => {
    const { page, select, button } = await open('![b](/c)')
    const focused = (): Promise<string> => page.locator(':focus').ariaSnapshot()
    await select(8, 8)
    await button('Image').click()
    await page.getByRole('dialog', { name: 'Insert image', exact: true }).waitFor()
    expect(await focused()).toBe('- button "Choose files"')
    await page.keyboard.press('Escape')
    await select(4, 4)
    await button('Image').click()
    await page.getByRole('dialog', { name: 'Edit image', exact: true }).waitFor()
    expect(await focused()).toBe('- textbox "Description for screen readers (optional)": b')
  })

  it('edits and removes the image at the caret, and announces it', async () => {
    const opened = await open('a ![b \\*c](/d.png "e") f')
    const { page, text, select, button, spoken } = opened
    await select(6, 6)
    await button('Image').click()
    const label = page.getByLabel('Description for screen readers')
    expect(await label.inputValue()).toBe('b *c')
    expect(await page.getByLabel('Address').inputValue()).toBe('/d.png')
    await label.fill('Boats')
    await button('Apply').click()
    expect(await text.inputValue()).toBe('a ![Boats](/d.png "e") f')
    expect(await spoken()).toBe('Changed')
    await select(6, 6)
    await button('Image').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    expect(await text.inputValue()).toBe('a f')
    expect(await spoken()).toBe('Removed')
  })

  it('removes an image with its empty lines, in one undo step', async () => {
    const body = 'one\n\n![b](/c)\n\n\n\ntwo'
    const { page, text, select, button } = await open(body)
    await select(8, 8)
    await button('Image').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    expect(await text.inputValue()).toBe('one\n\ntwo')
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).toBe(body)
  })

  it.each([
    ['Image', '![a](/b)'],
    ['Link', '[a](/b "c")'],
  ])('says nothing if nothing was changed, and adds no undo step: %s', async (name, source) => {
    const { page, text, select, selected, button, spoken } = await open('')
    await select(0, 0)
    await page.keyboard.type(source)
    await select(3, 4)
    await button(name).click()
    await button('Apply').click()
    expect(await spoken()).toBe('')
    expect(await selected()).toBe(source.slice(3, 4))
    await page.keyboard.press('Control+z')
    expect(await text.inputValue()).not.toBe(source)
  })

  it.each([
    ['a title in other quotes', String.raw`![x](/c.png '\\") [y](/z')`],
    ['character references', '![a &lt;b&gt; *c*](/d.png)'],
    ['an address in angle brackets', '![a](</c d.png>)'],
  ])('keeps the source of an unchanged image: %s', async (_, source) => {
    const { text, select, button } = await open(source)
    await select(3, 3)
    await button('Image').click()
    await button('Apply').click()
    expect(await text.inputValue()).toBe(source)
  })
})
