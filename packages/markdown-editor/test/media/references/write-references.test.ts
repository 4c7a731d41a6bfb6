import type { SqlExecutor } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { Kysely, MysqlDialect } from 'kysely'
import { createPool } from 'mysql2'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RecordTexts } from '../../../src/media/ledger/record-texts.ts'
import { addReferences, writeReferences } from '../../../src/media/references.ts'
import { openEditor } from '../../editor-fixture.ts'
import { type LedgerFixture, mediaId, openLedger, T0 } from '../ledger-fixture.ts'

const [a, b, c] = [mediaId(1), mediaId(2), mediaId(3)]
const post = { type: 'post', id: 7 }

describe('writeReferences', () => {
  describeDatabases((engine) => {
    let fixture: LedgerFixture
    beforeEach(async () => {
      fixture = await openLedger(engine)
      for (const id of [a, b, c]) await fixture.addFile(id, 'permanent')
    })
    afterEach(() => fixture.close())

    const inTransaction = <Result>(work: (tx: SqlExecutor) => Promise<Result>) =>
      fixture.other.transaction((trx) => work(fixture.other.executor(trx)))
    const write = (texts: RecordTexts, record: { type: string; id: string | number } = post) =>
      inTransaction((tx) => writeReferences(fixture.ledgerDatabase.on(tx), record, texts, T0 + 9))
    const places = async () => {
      const select = fixture.ledgerDatabase.db.selectFrom('mediaReference').selectAll()
      const rows = await select.orderBy('mediaId').orderBy('field').execute()
      return rows.map((row) => `${row.recordType}:${row.recordId}.${row.field}=${row.mediaId}`)
    }

    it('records every mention in a text, including code samples', async () => {
      const text = `![a](/media/up/${a}-a.png)\n\n    /media/up/${b}-a.png\n\nand ${c.toUpperCase()}`
      expect(await write(text)).toEqual({ added: [a, b, c], removed: [], missing: [] })
      expect(await places()).toEqual([`post:7.=${a}`, `post:7.=${b}`, `post:7.=${c}`])
    })

    it('removes the references that the new text does not contain', async () => {
      await write(`${a} ${b}`)
      expect(await write(`${b} ${c}`)).toEqual({ added: [c], removed: [a], missing: [] })
      expect(await write('')).toEqual({ added: [], removed: [b, c], missing: [] })
      expect(await places()).toEqual([])
    })

    it('treats a list of texts as one text', async () => {
      await write([`${a}`, null, `${b}`, undefined])
      expect(await write([`${b}`])).toMatchObject({ removed: [a] })
    })

    it('replaces only the fields that are given (F15: partial saves)', async () => {
      await write({ body: a, summary: b })
      expect(await write({ body: c })).toEqual({ added: [c], removed: [a], missing: [] })
      expect(await write({ body: undefined, summary: null })).toEqual({
        added: [],
        removed: [b],
        missing: [],
      })
      expect(await places()).toEqual([`post:7.body=${c}`])
    })

    it('neither adds nor removes a file that moves to another field (F16)', async () => {
      await write({ body: a })
      expect(await write({ body: '', summary: a })).toEqual({ added: [], removed: [], missing: [] })
      expect(await places()).toEqual([`post:7.summary=${a}`])
    })

    it('does not remove a file that another field still mentions (F16)', async () => {
      await write({ body: a, summary: a })
      expect(await write({ body: '' })).toEqual({ added: [], removed: [], missing: [] })
    })

    it('removes the references of all fields when a record has no texts', async () => {
      await write({ body: a, summary: b })
      expect(await write([])).toEqual({ added: [], removed: [a, b], missing: [] })
    })

    it('distinguishes records byte by byte', async () => {
      await write(a, { type: 'post', id: 'x' })
      await write(a, { type: 'post', id: 'X' })
      await write(a, { type: 'Post', id: 'x ' })
      expect(await write('', { type: 'post', id: 'x' })).toMatchObject({ removed: [a] })
      expect(await places()).toHaveLength(2)
    })

    it('treats 7 and "7" as the same record', async () => {
      await write(a, { type: 'post', id: 7 })
      expect(await write('', { type: 'post', id: '7' })).toMatchObject({ removed: [a] })
    })

    it('reports files that no longer exist', async () => {
      await fixture.addFile(mediaId(4), 'deleted')
      expect(await write(`${a} ${mediaId(4)} ${mediaId(5)}`)).toEqual({
        added: [a],
        removed: [],
        missing: [mediaId(4), mediaId(5)],
      })
    })

    it('finds existing files among thousands of invented ids', async () => {
      const invented = Array.from({ length: 1200 }, (_, n) => mediaId(1000 + n))
      const { added, missing } = await write([...invented, a, b].join(' '))
      expect(added).toEqual([a, b])
      expect(missing).toHaveLength(1200)
    })

    it('rolls back with the record', async () => {
      await write(a)
      const rollback = new Error('rollback')
      const saved = inTransaction(async (tx) => {
        await writeReferences(fixture.ledgerDatabase.on(tx), post, b, T0)
        throw rollback
      })
      await expect(saved).rejects.toBe(rollback)
      expect(await places()).toEqual([`post:7.=${a}`])
      expect((await fixture.ledger.get(b))?.referencedAt).toBeNull()
    })

    it('allows concurrent saves of many records that share files', async () => {
      const texts = [`${a} ${b} ${c}`, `${c} ${b} ${a}`, `${b} ${a}`, `${c}`]
      const saves = Array.from({ length: 12 }, (_, n) =>
        write(texts[n % 4] ?? '', { type: 'post', id: n }),
      )
      await Promise.all(saves)
      expect(await places()).toHaveLength(27)
    })

    if (engine.name === 'mariadb') {
      it('locks only the rows of its record in REPEATABLE READ', async () => {
        const { other } = fixture
        const many = Array.from({ length: 30 }, (_, n) => mediaId(100 + n))
        for (const id of many) await fixture.addFile(id, 'permanent')
        await write(`${many.join(' ')} ${b}`)
        await write(`${many.join(' ')} ${b}`, { type: 'post', id: 8 })
        // With these statistics, MariaDB prefers a table scan to an index that lacks some columns.
        await other.executor(other.kysely).query('ANALYZE TABLE quillgate_media_reference')
        await other.kysely
          .transaction()
          .setIsolationLevel('repeatable read')
          .execute(async (trx) => {
            const tx = fixture.ledgerDatabase.on(other.executor(trx))
            expect((await writeReferences(tx, post, '', T0)).removed).toHaveLength(31)
            const saved = await write(b, { type: 'post', id: 8 })
            expect(saved).toMatchObject({ added: [], removed: many })
          })
      })

      it('sees rows saved after its snapshot in REPEATABLE READ', async () => {
        const { other } = fixture
        await write(a)
        await other.kysely
          .transaction()
          .setIsolationLevel('repeatable read')
          .execute(async (trx) => {
            const tx = other.executor(trx)
            await tx.query('SELECT * FROM quillgate_media_reference')
            await write(`${a} ${b}`)
            const change = await writeReferences(fixture.ledgerDatabase.on(tx), post, a, T0)
            expect(change).toMatchObject({ removed: [b] })
          })
        expect(await places()).toEqual([`post:7.=${a}`])
      })
    }

    it.each([
      [{ type: '', id: 1 }, 'record.type'],
      [{ type: 'x'.repeat(129), id: 1 }, 'record.type'],
      [{ type: 'post', id: '' }, 'record.id'],
      [{ type: 'post', id: 'x'.repeat(256) }, 'record.id'],
      [{ type: 'post', id: 'a\0b' }, 'record.id'],
      [{ type: 'post', id: '\ud800' }, 'record.id'],
    ])('refuses the record %j', async (record, named) => {
      await expect(write(a, record)).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining(named),
      })
      expect(await places()).toEqual([])
    })

    it.each([[7], [true], [[a, 7]], [{ body: 7 }]])('refuses %j as texts', async (texts) => {
      await expect(write(texts as never)).rejects.toMatchObject({ code: 'invalid_request' })
    })
  })
})

describe('addReferences', () => {
  describeDatabases((engine) => {
    it('removes nothing, because the record can have changed since it was read', async () => {
      const fixture = await openLedger(engine)
      const { ledgerDatabase } = fixture
      for (const id of [a, b]) await fixture.addFile(id, 'permanent')
      await ledgerDatabase.transaction((tx) => writeReferences(tx, post, { body: a }, T0))
      const added = await ledgerDatabase.transaction((tx) =>
        addReferences(tx, post, { body: b }, T0),
      )
      expect(added).toEqual({ added: [b], missing: [] })
      const left = await ledgerDatabase.transaction((tx) => writeReferences(tx, post, [], T0))
      expect(left.removed).toEqual([a, b])
      await fixture.close()
    })
  })
})

describe('references.set on a pool', () => {
  describeDatabases(
    (engine) => {
      it('keeps the references of a text that is saved again', async () => {
        const { url, close } = await engine.open()
        const pool = createPool({ uri: url, flags: ['-FOUND_ROWS'], connectionLimit: 2 })
        const kysely = new Kysely({ dialect: new MysqlDialect({ pool }) })
        const opened = await openEditor({}, { database: kysely })
        try {
          const { editor, addPermanent, storedKeys } = opened
          const { id } = await addPermanent()
          expect(await editor.references.set(post, { body: id })).toEqual({
            added: [id],
            removed: [],
            missing: [],
          })
          expect(await editor.references.set(post, { body: id })).toEqual({
            added: [],
            removed: [],
            missing: [],
          })
          expect(await storedKeys()).toHaveLength(1)
          expect((await editor.check()).dangling.count).toBe(0)
        } finally {
          await opened.close()
          await kysely.destroy()
          await close()
        }
      })
    },
    ['mariadb'],
  )
})
