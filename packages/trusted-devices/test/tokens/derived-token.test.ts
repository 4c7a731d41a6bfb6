import { randomBytes } from 'node:crypto'
import { sqliteEngine } from '@quillgate/server/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DerivedTokens } from '../../src/tokens/derived-token.ts'
import { BearerClient } from '../support/client.ts'
import { openHouse } from '../support/house.ts'

const key = randomBytes(32)
const tokens = new DerivedTokens([key])
const claims = fc.record({
  uid: fc.uuid(),
  generation: fc.integer({ min: 0, max: 0xffffffff }),
  counter: fc.integer({ min: 0, max: 0xffffffff }),
})

describe('DerivedTokens', () => {
  it.each([[['A'.repeat(76)]], [{ toString: 1 }], [null], [7]])('rejects %j', (value) => {
    expect(tokens.parse(value)).toBeNull()
  })

  it('reads what it issued, and issues the same token again', () => {
    fc.assert(
      fc.property(claims, (content) => {
        const token = tokens.issue(content)
        expect(token).toMatch(/^[A-Za-z0-9_-]{76}$/)
        expect(tokens.parse(token)).toEqual(content)
        expect(tokens.issue(content)).toBe(token)
      }),
    )
  })

  it('rejects a token with any changed character', () => {
    fc.assert(
      fc.property(
        claims,
        fc.nat(75),
        fc.constantFrom(...'ABCDwxyz0189-_'),
        (content, at, character) => {
          const token = tokens.issue(content)
          const forged = token.slice(0, at) + character + token.slice(at + 1)
          fc.pre(forged !== token)
          expect(tokens.parse(forged)).toBeNull()
        },
      ),
    )
  })

  it('rejects all other input', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.base64String(), fc.string({ minLength: 76, maxLength: 76 })),
        (text) => {
          expect(tokens.parse(text)).toBeNull()
        },
      ),
    )
    expect(tokens.parse('A'.repeat(1_000_000))).toBeNull()
  })

  it('rejects tokens of another key', () => {
    const content = { uid: '01900000-0000-7000-8000-000000000000', generation: 1, counter: 2 }
    expect(new DerivedTokens([randomBytes(32)]).parse(tokens.issue(content))).toBeNull()
  })

  it('reads tokens of the older key during a rotation', () => {
    const content = { uid: '01900000-0000-7000-8000-000000000000', generation: 1, counter: 2 }
    const rotating = new DerivedTokens([randomBytes(32), key])
    expect(rotating.parse(tokens.issue(content))).toEqual(content)
    expect(tokens.parse(rotating.issue(content))).toBeNull()
  })
})

describe('the tokens of a login', () => {
  it('are not stored in the database, which contains one device (S28)', async () => {
    const house = await openHouse(sqliteEngine())
    const client = new BearerClient(house.devices)
    await client.login()
    const tables = await house.sql.query("SELECT name FROM sqlite_master WHERE type = 'table'")
    let all = ''
    for (const { name } of tables)
      all += JSON.stringify(await house.sql.query(`SELECT * FROM "${String(name)}"`))
    expect(await house.sql.query('SELECT COUNT(*) AS n FROM quillgate_device')).toEqual([{ n: 1 }])
    for (const secret of [client.access, client.refresh, client.credential ?? ''])
      expect(all).not.toContain(secret)
    await house.close()
  })
})
