import { sqliteEngine } from '@quillgate/server/testing'
import type { RevocationChannel, RevocationListener } from '@quillgate/trusted-devices'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encodeMessages, parseMessage } from '../../src/revocations/messages.ts'
import { Browser } from '../support/client.ts'
import { type House, openHouse } from '../support/house.ts'

const uids = (count: number): string[] =>
  Array.from(
    { length: count },
    (_, index) => `01900000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`,
  )

describe('messages between nodes', () => {
  it.each([
    [0, 0],
    [1, 1],
    [150, 1],
    [151, 2],
    [10_000, 67],
  ])('about %i devices are %i', (count, messages) => {
    const made = encodeMessages(uids(count))
    expect(made).toHaveLength(messages)
    for (const text of made) expect(Buffer.byteLength(text)).toBeLessThan(7900)
    expect(made.flatMap(parseMessage)).toEqual(uids(count))
  })

  it.each([
    'x',
    '',
    'null',
    '[]',
    '{}',
    '["x"]',
    '[["01900000-0000-7000-8000-000000000000"]]',
    '{"0":"01900000-0000-7000-8000-000000000000","length":1}',
    JSON.stringify(uids(151)),
    `${'['.repeat(100_000)}`,
    'x'.repeat(1_000_000),
  ])('that are none of ours say nothing: %#', (text) => {
    expect(parseMessage(text)).toEqual([])
  })

  it('never throw, whatever they are', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.json(), fc.string(), fc.anything()),
        (text) => void parseMessage(text),
      ),
    )
  })
})

describe('whoever writes on the channel', () => {
  let house: House
  let listener: RevocationListener
  const channel: RevocationChannel = {
    open: (_name, opened) => {
      listener = opened
      opened.onListening()
    },
    publish: async () => {},
    close: async () => {},
  }
  beforeEach(async () => {
    house = await openHouse(sqliteEngine(), {}, { revocations: channel })
  })
  afterEach(() => house.close())

  it('can make a node read again, and nothing else', async () => {
    const browser = new Browser(house.devices)
    const { device } = await browser.login()
    await browser.visit()
    await house.sql.execute("UPDATE quillgate_device SET name = 'read again'")
    for (const text of ['x', `["${uids(1)[0]}"]`, 'x'.repeat(100_000)]) {
      listener.onMessage(text)
      expect((await browser.visit())?.device.name).toBe('Firefox on Linux')
    }
    listener.onMessage(`["${device.uid.toUpperCase()}"]`)
    expect((await browser.visit())?.device.name).toBe('read again')
    for (let round = 0; round < 1000; round++) listener.onMessage(`["${device.uid}"]`)
    expect((await browser.visit())?.device.uid).toBe(device.uid)
  })
})
