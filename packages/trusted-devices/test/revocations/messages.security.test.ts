import { sqliteEngine } from '@quillgate/server/testing'
import type { RevocationChannel, RevocationListener } from '@quillgate/trusted-devices'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { encodeMessage, messagesFor, parseMessage } from '../../src/revocations/messages.ts'
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
    [151, 1],
    [10_000, 1],
  ])('about %i devices are %i', (count, messages) => {
    const made = messagesFor({ userId: 'ä'.repeat(255), uids: uids(count), others: [] })
    expect(made).toHaveLength(messages)
    for (const message of made) {
      const text = encodeMessage(message)
      expect(Buffer.byteLength(text)).toBeLessThan(7900)
      expect(parseMessage(text)).toEqual(message)
    }
  })

  it('name another user’s device beside a user with many', () => {
    const [left = ''] = uids(1)
    const made = messagesFor({ userId: '1', uids: [...uids(200).slice(1), left], others: [left] })
    expect(made).toEqual([{ user: '1' }, { devices: [left] }])
  })

  it.each([
    'x',
    '',
    'null',
    '[]',
    '{}',
    '{"v":1}',
    '{"v":2,"user":"1"}',
    '{"v":1,"user":1}',
    '{"v":1,"user":""}',
    '{"v":1,"user":"1","devices":[]}',
    '{"v":1,"devices":[]}',
    '{"v":1,"devices":["x"]}',
    '{"v":1,"devices":[["01900000-0000-7000-8000-000000000000"]]}',
    '{"v":1,"all":true}',
    '{"v":1,"__proto__":{"user":"1"}}',
    `{"v":1,"user":"${'x'.repeat(256)}"}`,
    JSON.stringify({ v: 1, devices: uids(151) }),
    `${'['.repeat(100_000)}`,
    'x'.repeat(1_000_000),
  ])('that are none of ours say nothing: %#', (text) => {
    expect(parseMessage(text)).toBeNull()
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
    for (const text of [
      'x',
      '{"v":1,"user":"2"}',
      `{"v":1,"devices":["${uids(1)[0]}"]}`,
      'x'.repeat(100_000),
    ]) {
      listener.onMessage(text)
      expect((await browser.visit())?.device.name).toBe('Firefox on Linux')
    }
    listener.onMessage(`{"v":1,"devices":["${device.uid.toUpperCase()}"]}`)
    expect((await browser.visit())?.device.name).toBe('read again')
    for (let round = 0; round < 1000; round++) listener.onMessage('{"v":1,"user":"1"}')
    expect((await browser.visit())?.device.uid).toBe(device.uid)
  })
})
