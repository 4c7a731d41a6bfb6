import { QuillgateError } from '@quillgate/server/core'
import { guard } from '@quillgate/server/express'
import { guardFetch, type RequestContext } from '@quillgate/server/http'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { listen } from './support/listen.ts'

const cookie = new Headers([
  ['set-cookie', 'a=1'],
  ['set-cookie', 'b=2'],
])
const check = ({ request }: RequestContext) => {
  const name = request.headers.get('x-user')
  if (name === 'broken') throw new Error('the database is away')
  if (name === null)
    throw new QuillgateError('step_up_required', 403, 'Enter your password again first.')
  return name === 'ada' ? { name, headers: cookie } : { name }
}
const ask = (name?: string) =>
  new Request('http://localhost/', name === undefined ? {} : { headers: { 'x-user': name } })

describe('guardFetch', () => {
  let runs = 0
  const route = guardFetch(check, (_request, { name }) => {
    runs++
    return name === 'moved' ? Response.redirect('http://localhost/next') : new Response(name)
  })

  it('hands over what the check gave and appends its headers', async () => {
    const response = await route(ask('ada'))
    expect([await response.text(), response.headers.getSetCookie()]).toEqual([
      'ada',
      ['a=1', 'b=2'],
    ])
    expect((await route(ask('moved'))).headers.get('location')).toBe('http://localhost/next')
  })

  it('answers with what the check threw, and does not run the route', async () => {
    runs = 0
    const response = await route(ask())
    expect([response.status, response.headers.get('content-type')]).toEqual([
      403,
      'application/problem+json',
    ])
    expect(await response.json()).toMatchObject({ code: 'step_up_required' })
    await expect(route(ask('broken'))).rejects.toThrow('the database is away')
    expect(runs).toBe(0)
  })

  it('appends headers also to a redirect, whose own cannot be written', async () => {
    const redirect = guardFetch(check, () => Response.redirect('http://localhost/next'))
    const response = await redirect(ask('ada'))
    expect([response.status, response.headers.getSetCookie()]).toEqual([302, ['a=1', 'b=2']])
  })
})

describe('guard of Express', () => {
  it('does the same for a route', async () => {
    const app = express()
    let runs = 0
    const answer: express.ErrorRequestHandler = (error, _req, res, _next) =>
      void res.status(599).send(error.message)
    app.get(
      '/',
      guard(check, (_req, res: express.Response, { name }) => {
        runs++
        if (name === 'late') throw new Error('late')
        res.send(name)
      }),
    )
    app.use(answer)
    const { origin: url, close } = await listen(app)
    try {
      const passed = await fetch(url, { headers: { 'x-user': 'ada' } })
      expect([await passed.text(), passed.headers.getSetCookie()]).toEqual(['ada', ['a=1', 'b=2']])
      const refused = await fetch(url)
      expect([refused.status, refused.headers.get('cache-control')]).toEqual([403, 'no-store'])
      expect(await refused.json()).toMatchObject({ code: 'step_up_required' })
      expect(runs).toBe(1)
      expect(await (await fetch(url, { headers: { 'x-user': 'broken' } })).text()).toBe(
        'the database is away',
      )
      expect(await (await fetch(url, { headers: { 'x-user': 'late' } })).text()).toBe('late')
    } finally {
      await close()
    }
  })
})
