import { describe, expect, it } from 'vitest'
import { BearerClient, send } from '../support/client.ts'
import { useClient } from '../support/use-client.ts'

const opened = useClient()

describe('the response for a rejected request', () => {
  it('does not grow with the request', async () => {
    const many = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`m${index}`, 1]))
    for (const body of [many, { name: 'x'.repeat(12_000) }, { name: 7, ['x'.repeat(12_000)]: 1 }]) {
      const refusal = await opened.client.send('PATCH', `/trusted-devices/${opened.client.uid}`, {
        json: body,
      })
      const text = await refusal.text()
      expect(JSON.parse(text)).toMatchObject({ status: 400, code: 'invalid_request' })
      expect(text.length).toBeLessThan(3000)
    }
  })
})

describe('the headers of a login', () => {
  it('are truncated, whatever their size and content (S23)', async () => {
    for (const userAgent of [
      'x'.repeat(1_000_000),
      'Mozilla/5.0 ('.repeat(50_000),
      '<script>alert(1)</script>',
      "'; DROP TABLE quillgate_device; --",
      'Mozilla/5.0 \u00e9\u00ff',
    ]) {
      const hostile = new BearerClient(opened.devices, '203.0.113.10', userAgent)
      expect((await hostile.login()).status).toBe(200)
    }
    const { devices } = await opened.devices.registry.list('1')
    expect(Math.max(...devices.map(({ userAgent }) => userAgent.length))).toBe(512)
    for (const { name } of devices) expect(name.length).toBeLessThanOrEqual(255)
  })

  it('do not change the address, even with ten thousand forwarded addresses', async () => {
    const spoofed = Array.from({ length: 10_000 }, (_, index) => `198.51.${index % 256}.7`).join(
      ', ',
    )
    const response = await send(opened.devices, 'POST', '/trusted-devices/token', {
      address: '203.0.113.10',
      headers: { 'x-forwarded-for': spoofed, 'cf-ipcountry': 'JP' },
      json: { username: 'ada', password: 'pw' },
    })
    expect(response.status).toBe(200)
    expect((await opened.devices.registry.list('1')).devices[0]).toMatchObject({
      address: '203.0.113.10',
      country: 'DE',
    })
  })
})
