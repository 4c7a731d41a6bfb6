import { createQuillgate, type Quillgate, type RequestContext } from '@quillgate/server'
import { mount } from '@quillgate/server/node'
import { describe, expect, it } from 'vitest'

const COOKIE = { name: 'a', value: '1', secure: false }

function createGate(errors: string[] = []): Quillgate {
  return createQuillgate({
    secret: 'a secret of at least thirty-two bytes',
    database: 'sqlite::memory:',
    logger: { warn() {}, error: (message) => void errors.push(message) },
  })
}

function register(
  gate: Quillgate,
  { ready = async () => {}, respond = async (_: RequestContext) => new Response('ours') } = {},
): void {
  const handles = (): boolean => true
  gate.parts.components.register({
    ...{ name: 'test', paths: ['/'], handles, respond, ready },
    close: async () => {},
  })
}

describe('cookies of calls', () => {
  it('are rejected after gate.respond has added the others to the answer', () => {
    const gate = createGate()
    const request = new Request('http://a.test/')
    const { cookies } = gate.parts.contexts.of(request, 'a call')
    cookies.set(COOKIE)
    const response = gate.respond(request, new Response('page'))
    expect(response.headers.getSetCookie()).toHaveLength(1)
    expect(cookies.canSet()).toBe(false)
    expect(() => cookies.set(COOKIE)).toThrow('before the headers of the response are sent')
  })

  it('are rejected after gate.fetch has answered', async () => {
    const gate = createGate()
    let seen: RequestContext | undefined
    register(gate, {
      async respond(context) {
        context.cookies.set(COOKIE)
        seen = context
        return new Response('ours')
      },
    })
    const response = await gate.fetch(new Request('http://a.test/'))
    expect(response.headers.getSetCookie()).toHaveLength(1)
    expect(seen?.cookies.canSet()).toBe(false)
  })
})

describe('the start-up of components', () => {
  it('begins after the factory has finished, even if the gate was mounted before', async () => {
    const errors: string[] = []
    const gate = createGate(errors)
    mount(gate)
    let isFinished = false
    let starts = 0
    register(gate, {
      async ready() {
        starts++
        if (!isFinished) throw new Error('The factory has not finished.')
      },
    })
    isFinished = true
    await expect.poll(() => starts).toBe(1)
    expect(errors).toEqual([])
  })

  it('reports a failure in one line', async () => {
    const errors: string[] = []
    const gate = createGate(errors)
    register(gate, {
      ready: () => Promise.reject(new Error('The database is\n  away.')),
    })
    mount(gate)
    await expect.poll(() => errors).toEqual(['test cannot start: The database is away.'])
  })
})
