import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningDemo, startDemo } from '../support/demo.ts'

describe('POST /api/render of the demo', () => {
  let demo: RunningDemo

  beforeAll(async () => {
    demo = await startDemo({
      QUILLGATE_LOGIN_RATE_LIMIT: 'off',
      QUILLGATE_RENDER_RATE_LIMIT: '2/hour',
    })
  })
  afterAll(() => demo?.stop())

  const post = (
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(new URL(path, demo.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  const signIn = async (username: string): Promise<Record<string, string>> => {
    const response = await post('/trusted-devices/token', { username, password: 'quillgate' })
    const { access } = (await response.json()) as { access: string }
    return { authorization: `Bearer ${access}` }
  }

  it('limits each user by the setting, and requires a sign-in', async () => {
    const [ada, grace] = [await signIn('ada'), await signIn('grace')]
    const render = (headers: Record<string, string>): Promise<Response> =>
      post('/api/render', { text: '**bold**' }, headers)
    expect((await render({})).status).toBe(401)
    for (let count = 0; count < 2; count++) {
      expect(await (await render(ada)).json()).toEqual({ html: '<p><strong>bold</strong></p>' })
    }
    const limited = await render(ada)
    expect(limited.status).toBe(429)
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await limited.json()).toMatchObject({ code: 'rate_limited' })
    expect((await render(grace)).status).toBe(200)
  })
})
