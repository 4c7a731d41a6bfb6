import { setTimeout } from 'node:timers/promises'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLedgerDatabase } from '../../../src/media/ledger/ledger-database.ts'
import { MediaLedger } from '../../../src/media/ledger/media-ledger.ts'
import { boundByQuota } from '../../../src/media/upload/limit-size.ts'
import { handlerWith } from '../../editor-fixture.ts'
import { type LedgerFixture, mediaId, openLedger, PREFIX, T0 } from '../ledger-fixture.ts'
import { chunks, png, text, useReceivers } from './receive-fixture.ts'

const OWNER = 'user:1'
const exceeded = { code: 'quota_exceeded', status: 413 }
const factsOf = (size: number) => ({ name: 'a.png', type: 'image/png', size, checksum: 'c0ffee' })

async function* bytes(...sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield Buffer.alloc(size)
}

async function read(body: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0
  for await (const chunk of body) size += chunk.byteLength
  return size
}

describeDatabases((engine) => {
  let fixture: LedgerFixture
  let nodes: readonly [MediaLedger, MediaLedger]

  beforeEach(async () => {
    fixture = await openLedger(engine)
    nodes = [fixture.ledger, new MediaLedger(createLedgerDatabase(fixture.other, PREFIX))]
  })

  afterEach(() => fixture.close())

  const complete = (node: MediaLedger, id: string, size: number, limit = 100) =>
    node.complete(id, factsOf(size), T0, limit)

  describe('completing an upload within a quota', () => {
    it('is exact if two nodes complete uploads of one owner concurrently', async () => {
      const ids = Array.from({ length: 12 }, (_, n) => mediaId(n))
      for (const id of ids) await fixture.addFile(id, 'uploading', OWNER)
      const outcomes = await Promise.all(
        ids.map((id, n) => complete(n % 2 ? nodes[0] : nodes[1], id, 30)),
      )
      expect(outcomes.filter((outcome) => outcome === 'completed')).toHaveLength(3)
      expect(outcomes.filter((outcome) => outcome === 'exceeded')).toHaveLength(9)
      expect(await nodes[0].usage(OWNER)).toBe(90)
    })

    it('accepts the last byte, and ignores other owners and deleted files', async () => {
      await fixture.addFile(mediaId(1), 'permanent', 'user:2')
      await fixture.addFile(mediaId(2), 'deleted', OWNER)
      await fixture.addFile(mediaId(3), 'orphaned', OWNER)
      await fixture.addFile(mediaId(4), 'uploading', OWNER)
      expect(await complete(nodes[0], mediaId(4), 98)).toBe('exceeded')
      expect(await complete(nodes[0], mediaId(4), 97)).toBe('completed')
      expect(await nodes[0].get(mediaId(4))).toMatchObject({
        state: 'temporary',
        size: 97,
        checksum: 'c0ffee',
      })
    })

    it('reports an upload that was given up or completed before', async () => {
      await fixture.addFile(mediaId(1), 'temporary', OWNER)
      expect(await complete(nodes[0], mediaId(1), 1)).toBe('gone')
      expect(await complete(nodes[0], mediaId(2), 1)).toBe('gone')
    })

    it('counts for the current owner, because an anonymous session can have become a user', async () => {
      await fixture.addFile(mediaId(1), 'uploading', 'anon:x')
      await fixture.addFile(mediaId(2), 'uploading', OWNER)
      expect(await complete(nodes[0], mediaId(2), 60)).toBe('completed')
      await nodes[1].changeOwner('anon:x', OWNER)
      expect(await complete(nodes[1], mediaId(1), 60)).toBe('exceeded')
    })
  })
})

describe('boundByQuota', () => {
  const bound = (used: number, ...sizes: readonly number[]) =>
    boundByQuota({ usage: async () => used }, 100, OWNER, bytes(...sizes))

  it('stops reading at the remaining quota', async () => {
    expect(await read(await bound(40, 30, 30))).toBe(60)
    await expect(read(await bound(40, 30, 31))).rejects.toMatchObject(exceeded)
  })

  it('rejects before the first byte if no quota remains', async () => {
    await expect(bound(100, 1)).rejects.toMatchObject(exceeded)
  })

  it('accepts everything without a limit', async () => {
    const usage = async () => Number.MAX_SAFE_INTEGER
    expect(await read(await boundByQuota({ usage }, null, OWNER, bytes(1000)))).toBe(1000)
  })
})

describe('ownerQuota of uploads', () => {
  const { open } = useReceivers()

  it('counts all files of one owner, and no other files', async () => {
    const { receive, ledger, storedKeys } = await open({ ownerQuota: 100 })
    await (await receive(text(60))).accept()
    await expect(receive(text(41))).rejects.toMatchObject(exceeded)
    await (await receive(text(40))).accept()
    await expect(receive(text(1))).rejects.toMatchObject(exceeded)
    await (await receive(text(100), { owner: 'user:2', user: { id: 2 } })).accept()
    expect(await ledger.usage(OWNER)).toBe(100)
    expect(await storedKeys()).toHaveLength(3)
  })

  it('leaves no row when it is used up, like other early rejections', async () => {
    const { receive, ids } = await open({ ownerQuota: 10 })
    await (await receive(text(10))).accept()
    expect(ids).toHaveLength(1)
    await expect(receive(text(1))).rejects.toMatchObject(exceeded)
    await expect(receive({ ...png(), type: 'text/html' })).rejects.toMatchObject({ status: 415 })
    await expect(receive({ ...png(), body: chunks('no image') })).rejects.toMatchObject({
      status: 415,
    })
    await expect(receive({ ...png(), body: chunks() })).rejects.toMatchObject({
      code: 'empty_file',
    })
    expect(ids).toHaveLength(1)
  })

  it('stops reading at the remaining bytes', async () => {
    const { receive, expectNothingLeft } = await open({ ownerQuota: 20_000 })
    let taken = 0
    const endless = (async function* () {
      for (;;) {
        taken++
        yield Buffer.alloc(1000, 'x')
      }
    })()
    await expect(receive({ ...text(0), body: endless })).rejects.toMatchObject(exceeded)
    expect(taken).toBe(21)
    await expectNothingLeft()
  })

  it('applies to concurrent uploads', async () => {
    const handler = handlerWith({ validate: async () => void (await setTimeout(5)) })
    const { receive, ledger, storedKeys } = await open({ ownerQuota: 100, handler })
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, async () => (await receive(text(40))).accept()),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject(exceeded)
    }
    expect(await ledger.usage(OWNER)).toBe(80)
    expect(await storedKeys()).toHaveLength(2)
  })
})
