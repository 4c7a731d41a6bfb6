import type { TestEngine } from '@quillgate/server/testing'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningDemo, startDemo } from '../support/demo.ts'
import { png } from '../support/png.ts'

interface Tokens {
  access: string
  refresh: string
  device_uid: string
  device_credential: string
}

interface PostJson {
  id: string
  title: string
  body: string
  html: string
}

describeDatabases((engine: TestEngine) => {
  let demo: RunningDemo
  let store: Awaited<ReturnType<TestEngine['open']>>

  beforeAll(async () => {
    store = await engine.open()
    demo = await startDemo({
      QUILLGATE_DATABASE_URL: store.url,
      QUILLGATE_COUNTRY_HEADER: 'cf-ipcountry',
      QUILLGATE_LOGIN_RATE_LIMIT: 'off',
    })
  })

  afterAll(async () => {
    await demo?.stop()
    await store?.close()
  })

  const send = (
    path: string,
    method: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) =>
    fetch(new URL(path, demo.url), {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

  async function signIn(
    username: string,
    country: string,
  ): Promise<{ tokens: Tokens; auth: Record<string, string> }> {
    const response = await send(
      '/trusted-devices/token',
      'POST',
      { username, password: 'quillgate' },
      { 'cf-ipcountry': country },
    )
    expect(response.status).toBe(200)
    const tokens = (await response.json()) as Tokens
    return { tokens, auth: { authorization: `Bearer ${tokens.access}` } }
  }

  async function upload(auth: Record<string, string>, name: string): Promise<string> {
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(png(8, 8, [1, 2, 3]))], { type: 'image/png' }), name)
    const response = await fetch(new URL('/md-editor/upload', demo.url), {
      method: 'POST',
      headers: auth,
      body: form,
    })
    expect(response.status).toBe(201)
    const answer = (await response.json()) as { url: string; name: string; type: string }
    expect(answer).toEqual({ url: answer.url, name, type: 'image/png', width: 8, height: 8 })
    return answer.url
  }

  it('uploads, finalizes, saves, shares and cleans up over HTTP', async () => {
    const { auth } = await signIn('ada', 'DE')
    const temporary = await upload(auth, 'a.png')
    expect(temporary).toMatch(/^\/media\/md-editor\/tmp\//)

    const finalized = await send(
      '/md-editor/finalize',
      'POST',
      { text: `![a](${temporary})` },
      auth,
    )
    expect(finalized.status).toBe(200)
    const { replacements, missing } = (await finalized.json()) as {
      replacements: Record<string, string>
      missing: string[]
    }
    const permanent = replacements[temporary] ?? ''
    expect(permanent).toMatch(/^\/media\/md-editor\/uploads\/\d{4}\/\d{2}\//)
    expect(missing).toEqual([])

    const body = `![a](${permanent})`
    const first = (await (
      await send('/api/posts', 'POST', { title: 'One', body }, auth)
    ).json()) as PostJson
    const second = (await (
      await send('/api/posts', 'POST', { title: 'Two', body }, auth)
    ).json()) as PostJson
    expect(first.html).toContain(`<img src="${permanent}"`)

    const updated = await send(
      `/api/posts/${first.id}`,
      'PUT',
      { title: 'One', body: 'gone' },
      auth,
    )
    expect(updated.status).toBe(200)
    expect((await fetch(new URL(permanent, demo.url))).status).toBe(200)

    expect((await send(`/api/posts/${second.id}`, 'DELETE', undefined, auth)).status).toBe(204)
    expect((await fetch(new URL(permanent, demo.url))).status).toBe(404)
    expect(demo.storedFiles().filter((file) => file.endsWith('.png'))).toEqual([])
  })

  it('does not finalize temporary files of other users', async () => {
    const ada = await signIn('ada', 'DE')
    const grace = await signIn('grace', 'DE')
    const temporary = await upload(ada.auth, 'private.png')
    const stolen = await send(
      '/md-editor/finalize',
      'POST',
      { text: `![a](${temporary})` },
      grace.auth,
    )
    expect(await stolen.json()).toEqual({ replacements: {}, missing: [temporary] })
    const unknown = temporary.replace(
      /m[a-z0-9]{26}/,
      (id) => `m${[...id.slice(1)].reverse().join('')}`,
    )
    const other = await send(
      '/md-editor/finalize',
      'POST',
      { text: `![a](${unknown})` },
      grace.auth,
    )
    expect(await other.json()).toEqual({ replacements: {}, missing: [unknown] })
  })

  it('reports temporary files in a text that its author does not own', async () => {
    const [ada, grace] = [await signIn('ada', 'DE'), await signIn('grace', 'DE')]
    const [own, foreign] = [
      await upload(ada.auth, 'own.png'),
      await upload(grace.auth, 'foreign.png'),
    ]
    const unknown = own.replace(/m[a-z0-9]{26}/, (id) => `m${[...id.slice(1)].reverse().join('')}`)
    const created = await send(
      '/api/posts',
      'POST',
      { title: 'A', body: `![a](${own}) ![b](${foreign})` },
      ada.auth,
    )
    const post = (await created.json()) as PostJson & { missing: string[] }
    expect([created.status, post.missing]).toEqual([201, [foreign]])
    expect(post.body).toMatch(
      /^!\[a\]\(\/media\/md-editor\/uploads\/.*\) !\[b\]\(\/media\/md-editor\/tmp\//,
    )

    const body = `![c](${unknown})`
    const updated = await send(`/api/posts/${post.id}`, 'PUT', { title: 'A', body }, ada.auth)
    expect([updated.status, await updated.json()]).toMatchObject([
      200,
      { body, missing: [unknown] },
    ])
    const repaired = await send(
      `/api/posts/${post.id}`,
      'PUT',
      { title: 'A', body: 'none' },
      ada.auth,
    )
    expect([repaired.status, await repaired.json()]).toMatchObject([
      200,
      { body: 'none', missing: [] },
    ])
  })

  it('registers, lists, reports and revokes devices over HTTP', async () => {
    const home = await signIn('grace', 'DE')
    const away = await signIn('grace', 'JP')
    const { devices } = (await (
      await send('/trusted-devices', 'GET', undefined, home.auth)
    ).json()) as {
      devices: { uid: string; country: string; is_current: boolean }[]
    }
    expect(devices.find((device) => device.uid === home.tokens.device_uid)).toMatchObject({
      country: 'DE',
      is_current: true,
    })
    expect(devices.find((device) => device.uid === away.tokens.device_uid)).toMatchObject({
      country: 'JP',
      is_current: false,
    })

    const revoked = await send(
      `/trusted-devices/${away.tokens.device_uid}`,
      'DELETE',
      undefined,
      home.auth,
    )
    expect(revoked.status).toBe(204)
    expect((await send('/trusted-devices', 'GET', undefined, away.auth)).status).toBe(401)

    const { events } = (await (
      await send('/api/security-log', 'GET', undefined, home.auth)
    ).json()) as {
      events: {
        signal: string
        at: string
        device_uid: string
        country: string | null
        previous_countries: string[] | null
      }[]
    }
    const ofAway = events.filter((event) => event.device_uid === away.tokens.device_uid)
    expect(ofAway.map((event) => event.signal)).toEqual([
      'device_created',
      'suspicious_login',
      'device_revoked',
    ])
    expect(ofAway[1]).toMatchObject({ country: 'JP', previous_countries: ['DE'] })
  })

  it('saves a chosen name, and the next one', async () => {
    const { auth } = await signIn('grace', 'DE')
    for (const name of ['Amazing Grace', 'Übernächste <Grace>']) {
      const init = {
        method: 'POST',
        headers: auth,
        body: new URLSearchParams({ name }),
        redirect: 'manual',
      } as const
      expect((await fetch(new URL('/account/name', demo.url), init)).status).toBe(303)
      const page = await (await send('/account', 'GET', undefined, auth)).text()
      expect(page).toContain(
        `<span class="who">${name.replace('<', '&lt;').replace('>', '&gt;')}</span>`,
      )
    }
  })

  it('answers bad input with problem details and changes nothing', async () => {
    const { auth } = await signIn('ada', 'DE')
    const answers = await Promise.all([
      send('/api/posts', 'POST', { title: 'x', body: 'y' }),
      send('/api/posts', 'POST', { title: '', body: 1 }, auth),
      send('/api/posts', 'POST', { title: 'x', body: 'a'.repeat(5 * 1024 * 1024) }, auth),
      send('/api/posts/nothing', 'GET', undefined, auth),
      send('/api/posts', 'PATCH', {}, auth),
      fetch(new URL('/api/posts', demo.url), {
        method: 'POST',
        headers: { ...auth, 'content-type': 'application/json' },
        body: '{',
      }),
      fetch(new URL('/api/posts', demo.url), {
        method: 'POST',
        headers: { ...auth, 'content-type': 'text/plain' },
        body: 'x',
      }),
      send('/md-editor/finalize', 'POST', { text: 'a'.repeat(5 * 1024 * 1024) }, auth),
    ])
    const problems = await Promise.all(
      answers.map(async (answer) => [
        answer.status,
        ((await answer.json()) as { code: string }).code,
      ]),
    )
    expect(problems).toEqual([
      [401, 'authentication_required'],
      [400, 'invalid_request'],
      [413, 'text_too_large'],
      [404, 'post_not_found'],
      [405, 'method_not_allowed'],
      [400, 'malformed_json'],
      [415, 'unsupported_media_type'],
      [413, 'text_too_large'],
    ])
  })
})
