import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestCsrf } from '../support/test-csrf.ts'

const SECRET = 'a secret of at least thirty-two bytes'

/** A page at http://app.test behind a proxy, and a form that it sends with these headers. */
function send(
  headers: Record<string, string>,
  token?: string,
): { isGood: boolean; told: string[]; again: () => void } {
  const told: string[] = []
  const csrf = createTestCsrf({
    secret: SECRET,
    logger: { warn: (text) => told.push(text), error: () => {} },
  })
  const page = { request: new Request('http://app.test/') }
  const issued = csrf.issue(page)
  const cookie = issued.headers.get('set-cookie')?.split(';')[0] ?? ''
  const request = new Request('http://app.test/', {
    method: 'POST',
    headers: { cookie, ...headers },
  })
  const verify = (): boolean => csrf.verify({ request }, token ?? issued.token)
  return { isGood: verify(), told, again: verify }
}

describe('a good token from another origin', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('is refused, and the log says which origin is expected and what to set', () => {
    const { isGood, told } = send({ origin: 'https://example.com' })
    expect(isGood).toBe(false)
    expect(told).toHaveLength(1)
    expect(told[0]).toMatch(
      /came with Origin "https:\/\/example\.com", but the server expects the origin "http:\/\/app\.test"/,
    )
    expect(told[0]).toMatch(/publicOrigin .*trustedProxies/)
  })

  it('without an origin says so', () => {
    expect(send({}).told[0]).toMatch(
      /came with no Origin, but the server expects .* A script .* must send the header Origin/,
    )
    expect(send({ 'sec-fetch-site': 'cross-site' }).told[0]).toMatch(
      /no Origin and Sec-Fetch-Site "cross-site"/,
    )
  })

  it('is logged once an hour, quoted and cut', () => {
    const { told, again } = send({ origin: `https://${'x'.repeat(5000)}"` })
    again()
    again()
    expect(told).toHaveLength(1)
    expect(told[0]?.length).toBeLessThan(600)
  })

  it('is logged for each other origin, ten an hour at most', () => {
    const told: string[] = []
    const csrf = createTestCsrf({
      secret: SECRET,
      logger: { warn: (text) => told.push(text), error: () => {} },
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
    expect(told.map((line) => /Origin "([^"]+)"/.exec(line)?.[1])).toEqual([
      'https://one.test',
      'https://two.test',
    ])
    for (let n = 0; n < 50; n++) sendFrom(`https://${n}.test`)
    expect(told).toHaveLength(10)
    vi.advanceTimersByTime(3_600_000)
    sendFrom('https://one.test')
    sendFrom('https://one.test')
    expect(told).toHaveLength(11)
  })

  it('with a wrong token, or from the right origin, is not told', () => {
    expect(send({ origin: 'https://evil.test' }, 'A'.repeat(86)).told).toEqual([])
    expect(send({ origin: 'http://app.test' })).toMatchObject({ isGood: true, told: [] })
  })
})

describe('createCsrf', () => {
  it('refuses an option that does not exist', () => {
    const options = { secret: SECRET, trustedProxy: ['127.0.0.1'] }
    expect(() => createTestCsrf(options)).toThrow(
      /trustedProxy is not an option\. Perhaps trustedProxies is meant/,
    )
  })
})
