import { expect, it } from 'vitest'
import { type Given, rollBack } from './orm-world.ts'

export function recordTests(given: Given): void {
  it('references the files that a new record mentions', async () => {
    const { saves, addMedium, isReferenced } = given()
    const a = await addMedium()
    expect(await isReferenced(a)).toBe(false)
    await saves.insertPost({ title: 't', body: a.link })
    expect(await isReferenced(a)).toBe(true)
  })

  it('deletes files that a new text does not mention before the save returns, and keeps the rest', async () => {
    const { saves, addMedium, stateOf, isStored } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't', body: a.link + b.link })
    await saves.updatePost(id, { body: b.link })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['deleted', 'permanent'])
    expect([await isStored(a), await isStored(b)]).toEqual([false, true])
  })

  it('treats null as a text without media', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: a.link })
    await saves.updatePost(id, { body: null })
    expect(await stateOf(a)).toBe('deleted')
  })

  it('deletes the media of a deleted record', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    await saves.deletePost(await saves.insertPost({ title: 't', body: a.link }))
    expect(await stateOf(a)).toBe('deleted')
  })

  it('deletes a shared file with its last record', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const first = await saves.insertPost({ title: '1', body: a.link })
    const second = await saves.insertPost({ title: '2', summary: a.link })
    await saves.deletePost(first)
    expect(await stateOf(a)).toBe('permanent')
    await saves.updatePost(second, { summary: '' })
    expect(await stateOf(a)).toBe('deleted')
  })

  it('distinguishes records with composite keys', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    await saves.insertNote({ postId: 1, language: 'en', text: a.link, remark: '' })
    await saves.insertNote({ postId: 1, language: 'de', text: a.link, remark: '' })
    await saves.updateNote({ postId: 1, language: 'en' }, { text: 'x' })
    expect(await stateOf(a)).toBe('permanent')
    await saves.deleteNote({ postId: 1, language: 'de' })
    expect(await stateOf(a)).toBe('deleted')
  })
}

export function fieldTests(given: Given): void {
  it('keeps a file that moves to another field', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: a.link })
    await saves.updatePost(id, { body: '', summary: a.link })
    expect(await stateOf(a)).toBe('permanent')
    await saves.updatePost(id, { summary: null })
    expect(await stateOf(a)).toBe('deleted')
  })

  it('keeps a file that another field still mentions', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: a.link, summary: a.link })
    await saves.updatePost(id, { body: '' })
    expect(await stateOf(a)).toBe('permanent')
  })

  it('keeps the references of fields that were not written', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't', body: a.link, summary: b.link })
    await saves.updatePost(id, { title: 'new' })
    await saves.updatePost(id, { summary: 'x' })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['permanent', 'deleted'])
  })

  it('ignores undeclared fields', async () => {
    const { saves, addMedium, isReferenced } = given()
    const a = await addMedium()
    await saves.updatePost(await saves.insertPost({ title: 't', topic: a.link.slice(0, 40) }), {
      title: a.link,
    })
    expect(await isReferenced(a)).toBe(false)
  })

  it('tracks every declared text field', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const key = { postId: 1, language: 'en' }
    await saves.insertNote({ ...key, text: a.link, remark: b.link })
    await saves.updateNote(key, { remark: 'x' })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['permanent', 'deleted'])
  })
}

export function bulkTests(given: Given): void {
  it('tracks an update of many records', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b, c, d] = [
      await addMedium(),
      await addMedium(),
      await addMedium(),
      await addMedium(),
    ]
    const first = await saves.insertPost({ title: '1', topic: 'x', body: a.link, summary: d.link })
    await saves.insertPost({ title: '2', topic: 'x', body: b.link })
    await saves.insertPost({ title: '3', topic: 'y', body: b.link })
    await saves.updateTopic('x', { body: c.link })
    const states = [await stateOf(a), await stateOf(b), await stateOf(c), await stateOf(d)]
    expect(states).toEqual(['deleted', 'permanent', 'permanent', 'permanent'])
    await saves.updatePost(first, { body: '' })
    expect(await stateOf(c)).toBe('permanent')
    await saves.updateTopic('x', { body: null })
    expect(await stateOf(c)).toBe('deleted')
  })

  it('changes nothing on an update of no records', async () => {
    const { saves, addMedium, stateOf, isReferenced } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    await saves.insertPost({ title: '1', topic: 'x', body: a.link })
    await saves.updateTopic('y', { body: b.link })
    expect([await stateOf(a), await isReferenced(b)]).toEqual(['permanent', false])
  })

  it('deletes only the media of the records in a bulk delete', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b, c] = [await addMedium(), await addMedium(), await addMedium()]
    await saves.insertPost({ title: '1', topic: 'x', body: a.link + c.link })
    await saves.insertPost({ title: '2', topic: 'x', body: b.link })
    await saves.insertPost({ title: '3', topic: 'y', body: c.link })
    await saves.deleteTopic('x')
    expect([await stateOf(a), await stateOf(b), await stateOf(c)]).toEqual([
      'deleted',
      'deleted',
      'permanent',
    ])
  })

  it('changes nothing after a bulk write is rolled back', async () => {
    const { saves, addMedium, stateOf, isReferenced } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    await saves.insertPost({ title: '1', topic: 'x', body: a.link })
    await rollBack(saves, async (own) => {
      await own.updateTopic('x', { body: b.link })
      await own.deleteTopic('x')
    })
    expect([await stateOf(a), await isReferenced(b)]).toEqual(['permanent', false])
  })
}

const refused = { code: 'bulk_write_not_tracked' }

/** Tests bulk writes that hooks reject because the affected records are unknown. */
export function bulkRefusalTests(given: Given): void {
  it('refuses a bulk update of tracked fields, and changes nothing', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: '1', topic: 'x', body: a.link })
    await expect(saves.updateTopic('x', { body: '' })).rejects.toMatchObject(refused)
    expect((await saves.findPost(id))?.body).toBe(a.link)
    expect(await stateOf(a)).toBe('permanent')
  })

  it('allows a bulk update of other fields', async () => {
    const { saves } = given()
    const id = await saves.insertPost({ title: '1', topic: 'x' })
    await saves.updateTopic('x', { topic: 'y' })
    expect((await saves.findPost(id))?.topic).toBe('y')
  })

  it('refuses a bulk delete, and deletes nothing', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: '1', topic: 'x', body: a.link })
    await expect(saves.deleteTopic('x')).rejects.toMatchObject(refused)
    expect((await saves.findPost(id))?.body).toBe(a.link)
    expect(await stateOf(a)).toBe('permanent')
  })
}

export function upsertRefusalTests(given: Given): void {
  it('refuses an upsert', async () => {
    const { saves, addMedium } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: a.link })
    await expect(saves.upsertPost({ title: 't', body: '' })).rejects.toMatchObject(refused)
    expect((await saves.findPost(id))?.body).toBe(a.link)
  })
}
