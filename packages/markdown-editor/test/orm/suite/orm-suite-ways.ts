import { expect, it } from 'vitest'
import type { Given } from './orm-world.ts'

const THREE_MEBIBYTES = 3 * 1024 * 1024

export function textTests(given: Given): void {
  it('ignores a malformed URL in a text', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: `[x](http://[::1/a) ${a.link}` })
    await saves.updatePost(id, { body: '[x](http://[::1/a) %E0%A4%A' })
    expect(await stateOf(a)).toBe('deleted')
  })

  it('references nothing for an empty text and null, and keeps the other field', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't', body: '', summary: null })
    await saves.updatePost(id, { body: a.link, summary: b.link })
    await saves.updatePost(id, { body: '' })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['deleted', 'permanent'])
    await saves.updatePost(id, { summary: null })
    expect(await stateOf(b)).toBe('deleted')
  })

  it('finds media at the end of a text of 3 MiB', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const long = 'lorem ipsum '.repeat(THREE_MEBIBYTES / 12)
    const id = await saves.insertPost({ title: 't', body: `${b.link}${long}${a.link}` })
    await saves.updatePost(id, { body: `${long}${a.link}` })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['permanent', 'deleted'])
  })

  it('stores non-ASCII text and text that looks like SQL', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const body = `'; DROP TABLE post; -- ? $1 :id \\ "\u{1F600}" ${a.link}`
    const id = await saves.insertPost({ title: 't', body })
    expect((await saves.findPost(id))?.body).toBe(body)
    await saves.updatePost(id, { body: '' })
    expect(await stateOf(a)).toBe('deleted')
  })
}

export function partialSaveTests(given: Given): void {
  it('keeps the media of fields that were not loaded when a record is saved (F15, F30)', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't', body: a.link, summary: b.link })
    await saves.retitlePost(id, 'new')
    expect(await saves.findPost(id)).toMatchObject({ title: 'new', body: a.link, summary: b.link })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['permanent', 'permanent'])
  })

  it('keeps the media of a soft-deleted record until it is deleted', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', topic: 'x', body: a.link })
    await saves.softDeletePost(id)
    expect(await stateOf(a)).toBe('permanent')
    await saves.deletePost(id)
    expect(await stateOf(a)).toBe('deleted')
  })
}

export function upsertTests(given: Given): void {
  it('adds references on an inserting upsert, and removes old ones on an updating upsert', async () => {
    const { saves, addMedium, stateOf, isReferenced } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    await saves.upsertPost({ title: 't', body: a.link })
    expect(await isReferenced(a)).toBe(true)
    await saves.upsertPost({ title: 't', body: b.link })
    expect([await stateOf(a), await stateOf(b), await isReferenced(b)]).toEqual([
      'deleted',
      'permanent',
      true,
    ])
  })

  it('keeps the media of other records on an upsert (F16)', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    await saves.insertPost({ title: 'other', body: a.link })
    await saves.upsertPost({ title: 't', body: a.link })
    await saves.upsertPost({ title: 't', body: '' })
    expect(await stateOf(a)).toBe('permanent')
  })
}
