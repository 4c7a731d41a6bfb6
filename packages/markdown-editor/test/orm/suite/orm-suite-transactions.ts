import { expect, it } from 'vitest'
import type { OrmPost } from './orm-fixture.ts'
import { type Given, rollBack } from './orm-world.ts'

export function transactionTests(given: Given): void {
  it('changes nothing after a rollback', async () => {
    const { saves, addMedium, stateOf, isReferenced } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't', body: a.link })
    await rollBack(saves, async (own) => {
      await own.updatePost(id, { body: b.link })
      await own.insertPost({ title: 'u', body: b.link })
      await own.deletePost(id)
    })
    expect([await stateOf(a), await stateOf(b), await isReferenced(b)]).toEqual([
      'permanent',
      'permanent',
      false,
    ])
    expect((await saves.findPost(id))?.body).toBe(a.link)
  })

  it('deletes bytes after the commit', async () => {
    const { saves, addMedium, stateOf, storage } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: a.link })
    await saves.transaction(async (own) => {
      await own.transaction((inner) => inner.updatePost(id, { body: '' }))
      expect(await storage.stat(a.key)).not.toBeNull()
    })
    expect(await stateOf(a)).toBe('deleted')
  })

  it('applies the last of several saves of one record', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't', body: a.link })
    await saves.transaction(async (own) => {
      await own.updatePost(id, { body: b.link })
      await own.updatePost(id, { body: '' })
      await own.updatePost(id, { body: a.link })
    })
    expect([await stateOf(a), await stateOf(b)]).toEqual(['permanent', 'deleted'])
  })

  it('undoes a released nested save with the outer rollback', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: a.link })
    await rollBack(saves, (own) => own.transaction((inner) => inner.updatePost(id, { body: '' })))
    expect(await stateOf(a)).toBe('permanent')
    await saves.updatePost(id, { body: '' })
    expect(await stateOf(a)).toBe('deleted')
  })
}

export function savepointTests(given: Given): void {
  it('undoes only the nested part on a nested rollback', async () => {
    const { saves, addMedium, stateOf, isReferenced } = given()
    const [a, b, c] = [await addMedium(), await addMedium(), await addMedium()]
    const first = await saves.insertPost({ title: '1', body: a.link })
    const second = await saves.insertPost({ title: '2', body: b.link })
    await saves.transaction(async (own) => {
      await own.updatePost(second, { body: 'x' })
      await rollBack(own, (inner) => inner.updatePost(first, { body: c.link }))
    })
    expect([await stateOf(a), await stateOf(b), await isReferenced(c)]).toEqual([
      'permanent',
      'deleted',
      false,
    ])
  })

  it('applies the rest after a nested rollback', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const first = await saves.insertPost({ title: '1', body: a.link })
    const second = await saves.insertPost({ title: '2', body: b.link })
    await saves.transaction(async (own) => {
      await own.updatePost(second, { body: 'x' })
      const nested = own.transaction((inner) => inner.updatePost(first, { body: textOfTooMany() }))
      await expect(nested).rejects.toMatchObject({ code: 'too_many_media' })
    })
    expect((await saves.findPost(first))?.body).toBe(a.link)
    expect([await stateOf(a), await stateOf(b)]).toEqual(['permanent', 'deleted'])
  })
}

export function failureTests(given: Given): void {
  it('changes nothing if the database rejects a save', async () => {
    const { saves, addMedium, stateOf, isReferenced } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 'own', body: a.link })
    await saves.insertPost({ title: 'taken' })
    await expect(saves.updatePost(id, { title: 'taken', body: b.link })).rejects.toThrow()
    await expect(saves.insertPost({ title: 'taken', body: b.link })).rejects.toThrow()
    expect([await stateOf(a), await isReferenced(b)]).toEqual(['permanent', false])
  })

  it('rolls back the whole transaction after a rejected save', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 'own', body: a.link })
    await saves.insertPost({ title: 'taken' })
    const saved = saves.transaction(async (own) => {
      await own.updatePost(id, { body: '' })
      await own.insertPost({ title: 'taken' })
    })
    await expect(saved).rejects.toThrow()
    expect(await stateOf(a)).toBe('permanent')
  })

  it('does not save a text if its references cannot be written', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: a.link })
    await expect(saves.updatePost(id, { body: textOfTooMany() })).rejects.toMatchObject({
      code: 'too_many_media',
    })
    expect((await saves.findPost(id))?.body).toBe(a.link)
    expect(await stateOf(a)).toBe('permanent')
  })

  it('does not save such a text in a transaction that ignores the error', async () => {
    const { saves, addMedium } = given()
    const a = await addMedium()
    const id = await saves.insertPost({ title: 't', body: a.link })
    const ignored = saves.transaction(async (own) => {
      await own.updatePost(id, { body: textOfTooMany() }).catch(() => {})
    })
    // Some libraries repeat the save in the commit, which then fails.
    await ignored.catch((error) => expect(error).toMatchObject({ code: 'too_many_media' }))
    expect((await saves.findPost(id))?.body).toBe(a.link)
  })
}

export function concurrencyTests(given: Given): void {
  it('deletes a shared file with the last of many records', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const ids: number[] = []
    for (const title of ['1', '2', '3', '4'])
      ids.push(await saves.insertPost({ title, body: a.link }))
    await Promise.all(ids.map((id) => saves.updatePost(id, { body: '' })))
    expect(await stateOf(a)).toBe('deleted')
  })

  it('keeps a file that one save drops and another one keeps', async () => {
    const { saves, addMedium, stateOf } = given()
    const a = await addMedium()
    const first = await saves.insertPost({ title: '1', body: a.link })
    const second = await saves.insertPost({ title: '2', body: a.link })
    await Promise.all([
      saves.updatePost(first, { body: '' }),
      saves.updatePost(second, { body: `${a.link} more` }),
    ])
    expect(await stateOf(a)).toBe('permanent')
  })

  it('keeps the media of the text that remains after two saves of one record', async () => {
    const { saves, addMedium, stateOf } = given()
    const [a, b] = [await addMedium(), await addMedium()]
    const id = await saves.insertPost({ title: 't' })
    await Promise.all([
      saves.updatePost(id, { body: a.link }),
      saves.updatePost(id, { body: b.link }),
    ])
    const isFirst = (await saves.findPost(id))?.body === a.link
    expect([await stateOf(a), await stateOf(b)]).toEqual(
      isFirst ? ['permanent', 'deleted'] : ['deleted', 'permanent'],
    )
  })
}

function textOfTooMany(): OrmPost['body'] {
  return Array.from({ length: 10_001 }, (_, n) => `m${String(n).padStart(26, '0')}`).join(' ')
}
