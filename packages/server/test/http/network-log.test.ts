import { beforeEach, describe, expect, it } from 'vitest'
import { createNetwork, type NetworkOptions } from '../../src/http/network/network.ts'
import { contextOf } from './support/context.ts'

describe('the log of a network', () => {
  const lines: string[] = []
  beforeEach(() => void lines.splice(0))
  const logger = { warn: (line: string) => void lines.push(line) }
  const ask = (
    options: NetworkOptions,
    headers: Record<string, string>,
    address?: string,
  ): void => {
    const { request } = contextOf(headers)
    const network = createNetwork(options, logger)
    const context = address === undefined ? { request } : { request, address }
    for (let i = 0; i < 3; i++) network.addressLimit(context, null)
  }

  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['203.0.113.1', '203.0.113.1'],
  ])('names the option once if %s sends the header, but is not trusted', (address, shown) => {
    ask({}, { 'x-forwarded-for': '192.0.2.1' }, address)
    expect(lines).toEqual([expect.stringContaining(`trustedProxies: ['${shown}']`)])
    expect(lines[0]).toContain(`X-Forwarded-For from ${shown} was ignored`)
  })

  it('names the second proxy of a chain', () => {
    ask(
      { trustedProxies: ['10.0.0.1'] },
      { 'x-forwarded-for': '192.0.2.1, 172.17.0.1' },
      '10.0.0.1',
    )
    expect(lines).toEqual([expect.stringContaining("trustedProxies: ['172.17.0.1']")])
  })

  it('explains once how to pass a missing address', () => {
    ask({}, { 'x-forwarded-for': '192.0.2.1' })
    expect(lines).toEqual([expect.stringContaining('fetch(request, { address })')])
  })

  it('explains once how to trust a Unix socket', () => {
    ask({}, {}, 'unix')
    expect(lines).toEqual([expect.stringContaining("trustedProxies: ['unix']")])
  })

  it('names proxyHeader once if the proxy writes a header that is not read', () => {
    ask({ trustedProxies: ['10.0.0.1'] }, { forwarded: 'for=192.0.2.1' }, '10.0.0.1')
    expect(lines).toEqual([expect.stringContaining('settings.proxyHeader')])
  })

  it.each<[string, string, Record<string, string>]>([
    ['at 10.0.0.1', '10.0.0.1', {}],
    ['at 10.0.0.1', '10.0.0.1', { 'x-forwarded-for': 'unknown' }],
    ['behind a Unix socket', 'unix', {}],
  ])('warns once that the trusted proxy %s sends no address', (name, address, headers) => {
    ask({ trustedProxies: ['10.0.0.1', 'unix'] }, headers, address)
    expect(lines).toEqual([
      expect.stringContaining(`The trusted proxy ${name} sent no valid address`),
    ])
    expect(lines[0]).toContain('X-Forwarded-For')
  })

  it('is empty if nothing is ignored', () => {
    ask({}, {}, '127.0.0.1')
    ask({ trustedProxies: ['10.0.0.1'] }, { 'x-forwarded-for': '6.6.6.6, 192.0.2.1' }, '10.0.0.1')
    ask({ trustedProxies: ['unix'] }, { 'x-forwarded-for': '192.0.2.1' }, 'unix')
    expect(lines).toEqual([])
  })
})
