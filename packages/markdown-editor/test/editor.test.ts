import { afterEach, describe, expect, it } from 'vitest'
import { openEditor, png, type TestEditor } from './editor-fixture.ts'

let opened: TestEditor | undefined
afterEach(async () => {
  await opened?.close()
  opened = undefined
})

async function open(...args: Parameters<typeof openEditor>): Promise<TestEditor> {
  opened = await openEditor(...args)
  return opened
}

describe('createMarkdownEditor', () => {
  it('takes a file from its upload to its deletion (the main job)', async () => {
    const { editor, upload, finalize, get, storedKeys } = await open()
    const { url, name, type } = await upload('My photo.png', png())
    expect({ name, type }).toEqual({ name: 'My photo.png', type: 'image/png' })
    expect(url).toMatch(/^\/media\/md-editor\/tmp\/m[0-9a-z]{26}-My_photo\.png$/)
    expect((await get(url)).status).toBe(200)

    const { replacements, missing } = await finalize(`![photo](${url})`)
    const permanent = replacements[url] ?? ''
    expect(permanent).toMatch(/^\/media\/md-editor\/uploads\/2026\/03\/m[0-9a-z]{26}-My_photo\.png$/)
    expect(missing).toEqual([])
    expect(await storedKeys()).toEqual([permanent.slice('/media/'.length)])
    expect((await get(permanent)).status).toBe(200)
    const redirect = await get(url)
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, permanent])

    await editor.references.set({ type: 'post', id: 1 }, { body: `![photo](${permanent})` })
    await editor.references.set({ type: 'post', id: 1 }, { body: 'no picture' })
    expect((await get(permanent)).status).toBe(404)
    expect(await storedKeys()).toEqual([])
  })
})
