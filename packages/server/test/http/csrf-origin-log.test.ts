import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestCsrf } from '../support/test-csrf.ts'

const SECRET = 'a secret of at least thirty-two bytes'

function send(
  headers: Record<string, string>,
  token?: string,
): { isGood: boolean; logged: string[]; again: () => void } {
  const logged: string[] = []
  const csrf = createTestCsrf({
    secret: SECRET,
    logger: { warn: (text) => logged.push(text), error: () => {} },
  })
  const page = { request: new Request('http://app.test/') }
  const issued = csrf.issue(page)
  const cookie = issued.headers.get('set-cookie')?.split(';')[0] ?? ''
  const request = new Request('http://app.test/', {
    method: 'POST',
    headers: { cookie, ...headers },
  })
  const verify = (): boolean => csrf.verify({ request }, token ?? issued.token)
  return { isGood: verify(), logged, again: verify }
}

describe('a valid token from another origin', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('is rejected, and the log names the expected origin and the option', () => {
    const { isGood, logged } = send({ origin: 'https://example.com' })
    expect(isGood).toBe(false)
    expect(logged).toHaveLength(1)
    expect(logged[0]).toMatch(
      /came with Origin "https:\/\/example\.com", but the server expects the origin "http:\/\/app\.test"/,
    )
    expect(logged[0]).toMatch(/publicOrigin .*trustedProxies/)
  })

  it('is logged as a request without an origin if it has none', () => {
    expect(send({}).logged[0]).toMatch(
      /came with no Origin, but the server expects .* A script .* must send the header Origin/,
    )
    expect(send({ 'sec-fetch-site': 'cross-site' }).logged[0]).toMatch(
      /no Origin and Sec-Fetch-Site "cross-site"/,
    )
  })

  it('is logged once an hour, quoted and shortened', () => {
    const { logged, again } = send({ origin: `https://${'x'.repeat(5000)}"` })
    again()
    again()
    expect(logged).toHaveLength(1)
    expect(logged[0]?.length).toBeLessThan(600)
  })

  it('is logged for each other origin, at most ten times an hour', () => {
    const logged: string[] = []
    const csrf = createTestCsrf({
      secret: SECRET,
      logger: { warn: (text) => logged.push(text), error: () => {} },
    })
    const { token, headers } = csrf.issue({ request: new Request('http://app.test/') })
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
    const sendFrom = (origin: string): boolean =>
      csrf.verify(
        { request: new Request('http://app.test/', { headers: { cookie, origin } }) },
        token,
      )
    for (const origin of ['https://one.test', 'https://two.test', 'https://one.test'])
      sendFrom(origin)
    expect(logged.map((line) => /Origin "([^"]+)"/.exec(line)?.[1])).toEqual([
      'https://one.test',
      'https://two.test',
    ])
    for (let n = 0; n < 50; n++) sendFrom(`https://${n}.test`)
    expect(logged).toHaveLength(10)
    vi.advanceTimersByTime(3_600_000)
    sendFrom('https://one.test')
    sendFrom('https://one.test')
    expect(logged).toHaveLength(11)
  })

  it('is not logged with a wrong token or from the correct origin', () => {
    expect(send({ origin: 'https://evil.test' }, 'A'.repeat(86)).logged).toEqual([])
    expect(send({ origin: 'http://app.test' })).toMatchObject({ isGood: true, logged: [] })
  })
})

describe('createCsrf', () => {
  it('rejects an unknown option', () => {
    const options = { secret: SECRET, trustedProxy: ['127.0.0.1'] }
    expect(() => createTestCsrf(options)).toThrow(
      /trustedProxy is not an option\. Perhaps trustedProxies is meant/,
    )
  })
})
