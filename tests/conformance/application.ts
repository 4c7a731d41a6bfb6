import { createMarkdownEditor } from '@quillgate/markdown-editor'
import { createQuillgate, type Quillgate } from '@quillgate/server'
import { createFakeClock, type FakeClock } from '@quillgate/server/testing'
import { memoryStorage } from '@quillgate/storage/testing'
import { createTrustedDevices } from '@quillgate/trusted-devices'

/** A request to a route of the application. */
export interface Call {
  /** The request object of the framework. Calls of Quillgate accept this object. */
  readonly request: unknown
  readonly method: string
  /** The path and the query. */
  readonly target: string
  /** Returns the JSON body that the framework has parsed. */
  readBody(): Promise<unknown>
}

/** An answer of the application. The framework sends it. */
export interface Answer {
  readonly status: number
  readonly body: object
  readonly cacheControl: string | null
}

/** The cookie that each framework sets on each answer of the application. */
export const OWN_COOKIE = 'own=1'

/** An application with trusted devices and an editor. It does not depend on a framework. */
export interface Application {
  readonly gate: Quillgate
  readonly clock: FakeClock
  answer(call: Call): Promise<Answer>
}

/** Creates the application. @param trustedProxies set for frameworks without such a setting */
export function createApplication(trustedProxies?: readonly string[]): Application {
  const clock = createFakeClock()
  const users = new Map([['1', { id: '1', name: 'ada' }]])
  const gate = createQuillgate({
    secret: 'a secret of at least thirty-two bytes',
    database: 'sqlite::memory:',
    clock,
    logger: { warn() {}, error: console.error },
    ...(trustedProxies && { trustedProxies }),
  })
  const devices = createTrustedDevices(gate, {
    users: { findById: (id) => users.get(id) ?? null },
  })
  const editor = createMarkdownEditor(gate, {
    storage: memoryStorage(),
    settings: { maxUploadSize: 1_000_000 },
  })

  const routes: Record<string, (call: Call) => Promise<Partial<Answer>>> = {
    'GET /login': async ({ request }) => ({ body: { token: await gate.csrfToken(request) } }),
    async 'POST /login'({ request, readBody }) {
      const { name, password, token } = (await readBody()) as Record<string, string>
      if (!(await gate.verifyCsrf(request, token))) return { status: 403 }
      const user = await devices.guardLogin(request, name ?? '', async () =>
        name === 'ada' && password === 'quillgate' ? users.get('1') : null,
      )
      if (!user) return { status: 401 }
      const { device } = await devices.login(user, request)
      return { body: { device: device.uid, token: await gate.csrfToken(request) } }
    },
    async 'POST /logout'({ request }) {
      await devices.logout(request)
      return {}
    },
    async 'GET /me'({ request, target }) {
      const session = await devices.authenticate(request)
      const cacheControl = target.endsWith('?public') ? 'public, max-age=60' : null
      return { body: { user: session?.user.id ?? null }, cacheControl }
    },
    async 'POST /form'({ request }) {
      const fields = await editor.readForm(request)
      return { body: { text: fields.get('text') } }
    },
    async 'GET /address'({ request }) {
      const { contexts, network } = gate.parts
      return { body: { address: network.clientAddress(contexts.of(request, 'test')) } }
    },
  }
  return {
    gate,
    clock,
    async answer(call) {
      const route = routes[`${call.method} ${call.target.split('?')[0]}`]
      const answer = route ? await route(call) : { status: 404, body: { by: 'application' } }
      return { status: 200, body: {}, cacheControl: null, ...answer }
    },
  }
}
