import type { Step } from './scenario.ts'
import { FIELDS } from './translate.ts'
import type { Session, World } from './world.ts'

/** The result of a step. */
export interface StepResult {
  readonly status?: number
  readonly body?: Readonly<Record<string, unknown>>
  readonly headers?: Headers
  readonly outcome?: 'ok' | 'error'
  readonly fields?: Readonly<Record<string, unknown>>
  readonly results?: readonly StepResult[]
}

/** Runs one step of a scenario. */
export async function runStep(world: World, step: Step): Promise<StepResult> {
  const { as: label = '' } = step
  const [userId = ''] = label.split('/')
  const session = world.sessions.get(label)
  const run = STEPS[step.do]
  if (!run) throw new Error(`no step ${step.do}`)
  return run({ world, args: step.args ?? {}, label, userId, session })
}

interface Run {
  readonly world: World
  readonly args: Readonly<Record<string, unknown>>
  readonly label: string
  readonly userId: string
  readonly session: Session | undefined
}

const STEPS: Readonly<Record<string, (run: Run) => Promise<StepResult>>> = {
  login: logIn,
  list: (run) => send(run, 'GET', ''),
  logout: (run) => send(run, 'POST', '/logout'),
  // The original keeps the calling device.
  revoke_all: (run) => send(run, 'POST', '/revoke-all', { keep_current: true }),
  delete: (run) => send(run, 'DELETE', targetPath(run)),
  patch: (run) => send(run, 'PATCH', targetPath(run), ourBody(run.args['body'])),
  put: (run) => send(run, 'PUT', targetPath(run), ourBody(run.args['body'])),
  refresh,
  verify: (run) =>
    send(run, 'POST', '/token/verify', run.args['body'] ?? { token: tokenOf(run, 'access') }),
  async request({ world, args, session }) {
    const path = String(args['path']).replace('/api/token', '/trusted-devices/token')
    return resultOf(await world.send(String(args['method']), path, { bearer: session?.access }))
  },
  async advance_clock({ world, args }) {
    world.clock.advance(-1000) // Every step adds a second, but this step adds only its arguments.
    const { days = 0, hours = 0, minutes = 0, seconds = 0 } = args as Record<string, number>
    world.clock.advance((days * 86_400 + hours * 3600 + minutes * 60 + seconds) * 1000)
    return {}
  },
  async set_settings({ world, args }) {
    if (Object.keys(args).length > 0) await world.restart(args)
    return {}
  },
  async set_user({ world, args, userId }) {
    if (args['delete'] === true) {
      world.users.delete(userId)
      await world.devices.users.deleted(userId)
    } else {
      world.users.set({
        id: userId,
        username: userId,
        password: `pw-${userId}`,
        active: args['active'] === true,
      })
    }
    return {}
  },
  async set_device({ world, args, label }) {
    for (const [field, value] of Object.entries(args)) {
      await world.setColumn(label, String(FIELDS[field]), value === true)
    }
    return {}
  },
  async on_signal({ world, args }) {
    world.failOn(String(args['signal']))
    return {}
  },
  async mint({ world, args, label, userId }) {
    world.sessions.set(label, world.mint(userId, args['device_uid']))
    return {}
  },
  async inspect({ world, label }) {
    return { fields: await world.row(label) }
  },
  async cleanup({ world, args }) {
    try {
      const { days } = args
      await world.devices.registry.cleanup(
        days === undefined ? {} : { olderThan: Number(days) * 86_400 },
      )
      return { outcome: 'ok' }
    } catch {
      return { outcome: 'error' }
    }
  },
  async concurrent({ world, args }) {
    const calls = args['calls'] as Step[]
    return { results: await Promise.all(calls.map((call) => runStep(world, call))) }
  },
}

async function logIn({ world, args, label, userId }: Run): Promise<StepResult> {
  const socket = typeof args['ip'] === 'string' ? args['ip'] : '203.0.113.10'
  const agent = args['user_agent'] as string | { repeat: string; times: number } | undefined
  const userAgent = typeof agent === 'object' ? agent.repeat.repeat(agent.times) : agent
  const result = await resultOf(
    await world.send('POST', '/trusted-devices/token', {
      socket,
      forwardedFor: args['x_forwarded_for'] as string | undefined,
      userAgent: userAgent ?? `UA-${label.split('/')[1]}`,
      ...(typeof args['raw_body'] === 'string'
        ? { body: args['raw_body'] }
        : {
            json: {
              username: args['username'] ?? userId,
              password: args['password'] ?? `pw-${userId}`,
            },
          }),
    }),
  )
  const { device_uid: uid, access, refresh } = result.body ?? {}
  if (result.status === 200) {
    world.name(label, {
      uid: String(uid),
      socket,
      access: String(access),
      refresh: String(refresh),
      firstRefresh: String(refresh),
    })
  }
  return result
}

async function refresh(run: Run): Promise<StepResult> {
  const token =
    run.args['token'] === undefined || run.args['token'] === 'latest'
      ? 'latest'
      : String(run.args['token'])
  const result = await send(
    run,
    'POST',
    '/token/refresh',
    run.args['body'] ?? { refresh: tokenOf(run, token) },
  )
  const { access, refresh: next } = result.body ?? {}
  if (result.status === 200 && run.session) {
    run.session.access = String(access)
    run.session.refresh = String(next)
  }
  return result
}

function tokenOf({ session, args }: Run, initial: string): string | undefined {
  const which = String(args['token'] ?? initial)
  const tokens: Record<string, string | undefined> = {
    access: session?.access,
    refresh: session?.refresh,
    latest: session?.refresh,
    first: session?.firstRefresh,
    first_refresh: session?.firstRefresh,
    garbage: 'garbage',
  }
  return tokens[which]
}

async function send(run: Run, method: string, path: string, json?: unknown): Promise<StepResult> {
  const { world, args, session } = run
  const bearer =
    args['bearer'] ?? (args['use_refresh_as_bearer'] ? session?.refresh : session?.access)
  return resultOf(
    await world.send(method, `/trusted-devices${path}`, {
      bearer: bearer as string | undefined,
      socket: (args['ip'] as string | undefined) ?? session?.socket ?? '203.0.113.10',
      forwardedFor: args['x_forwarded_for'] as string | undefined,
      ...(json === undefined ? {} : { json }),
    }),
  )
}

function targetPath({ world, args }: Run): string {
  const target = args['target'] as string | { of: string; form: string }
  const uid = world.sessions.get(typeof target === 'string' ? target : target.of)?.uid ?? ''
  if (typeof target === 'string') return `/${uid}`
  return `/${target.form === 'upper' ? uid.toUpperCase() : uid.replaceAll('-', '')}`
}

function ourBody(body: unknown): unknown {
  return Object.fromEntries(
    Object.entries(body as Record<string, unknown>).map(([field, value]) => [
      FIELDS[field] ?? field,
      value,
    ]),
  )
}

async function resultOf(response: Response): Promise<StepResult> {
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    ...(text === '' ? {} : { body: JSON.parse(text) as Record<string, unknown> }),
  }
}
