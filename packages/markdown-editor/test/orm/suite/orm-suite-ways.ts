import { expect, it } from 'vitest'
import type { Given } from './orm-world.ts'

const THREE_MEBIBYTES = 3 * 1024 * 1024

/** What a text can be. */
export function textTests(given: Given): void {
  it('a malformed URL in a text stops nothing', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: `[x](http://[::1/a) ${a.link}` })
    await saves.updatePost(id, { body: '[x](http://[::1/a) %E0%A4%A' })
    expect(await stateOf(a)).toBe('deleted')
  })

  it('an empty text and null hold nothing, and lose nothing of the other field', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't', body: '', summary: null })
    await saves.updatePost(id, { body: a.link, summary: b.link })
    await saves.updatePost(id, { body: '' })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['deleted', 'permanent'])
    await saves.updatePost(id, { summary: null })
    expect(await stateOf(b)).toBe('deleted')
  })

  it('a text of megabytes is read to its end', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const long = 'lorem ipsum '.repeat(THREE_MEBIBYTES / 12)
    const id = await saves.insertPost({ title: 't', body: `${b.link}${long}${a.link}` })
    await saves.updatePost(id, { body: `${long}${a.link}` })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['permanent', 'deleted'])
  })

  it('what is no ASCII, and what looks like SQL, is a text', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const body = `'; DROP TABLE post; -- ? $1 :id \\ "\u{1F600}" ${a.link}`
    const id = await saves.insertPost({ title: 't', body })
    expect((await saves.findPost(id))?.body).toBe(body)
    await saves.updatePost(id, { body: '' })
    expect(await stateOf(a)).toBe('deleted')
  })
}

/** The ways in which libraries write records. */
export function wayTests(given: Given): void {
  it('a record that was loaded in part, and saved, keeps the media of what was not loaded (F15, F30)', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't', body: a.link, summary: b.link })
    await saves.retitlePost(id, 'new')
    expect(await saves.findPost(id)).toMatchObject({ title: 'new', body: a.link, summary: b.link })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['permanent', 'permanent'])
  })

  it('a record that is removed softly keeps its media until it is deleted', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', topic: 'x', body: a.link })
    await saves.softDeletePost(id)
    expect(await stateOf(a)).toBe('permanent')
    await saves.deletePost(id)
    expect(await stateOf(a)).toBe('deleted')
  })
}

/** Writes that insert a record or update it. */
export function upsertTests(given: Given): void {
  it('an upsert that inserts holds what it mentions; one that updates lets go of the rest', async () => {
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

  it('an upsert leaves what other records mention alone (F16)', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    await saves.insertPost({ title: 'other', body: a.link })
    await saves.upsertPost({ title: 't', body: a.link })
    await saves.upsertPost({ title: 't', body: '' })
    expect(await stateOf(a)).toBe('permanent')
  })
}
