import { createHmac } from 'node:crypto'
import { sqliteEngine, type TestDatabase } from '@quillgate/server/testing'
import {
  deviceCompromised,
  deviceCreated,
  deviceRevoked,
  suspiciousLogin,
} from '@quillgate/trusted-devices/signals'
import {
  createFakeClock,
  createMemoryUsers,
  recordSignals,
} from '@quillgate/trusted-devices/testing'
import { deriveKeys } from '../../../packages/server/src/core/keys.ts'
import {
  createDevices,
  type TestDevices,
} from '../../../packages/trusted-devices/test/support/create-devices.ts'
import type { Scenario } from './scenario.ts'
import { PLACES, standIn, toLocate, toSettings, toTrustedProxies } from './translate.ts'

const SECRET = 'a secret of at least thirty-two bytes'

/** The tokens of a login, stored under its label. */
export interface Session {
  readonly uid: string
  readonly socket: string
  access: string
  refresh: string
  readonly firstRefresh: string
}

/** The contents of a request in addition to its method and path. */
export interface Sending {
  readonly bearer?: string | undefined
  readonly socket?: string | undefined
  readonly forwardedFor?: string | undefined
  readonly userAgent?: string
  readonly json?: unknown
  readonly body?: string
}

const SIGNALS = { deviceCreated, deviceRevoked, suspiciousLogin, deviceCompromised }

/**
 * The environment of one scenario: an instance with its own database, a clock, two users, and a
 * recorder.
 */
export class World {
  readonly start: number = Date.UTC(2026, 0, 1)
  readonly clock = createFakeClock(this.start)
  readonly users = createMemoryUsers(
    ['alice', 'bob'].map((id) => ({ id, username: id, password: `pw-${id}` })),
  )
  readonly recorder = recordSignals(SIGNALS)
  readonly sessions = new Map<string, Session>()
  readonly located: string[] = []
  readonly #labels = new Map<string, string>()
  readonly #undo: (() => void)[] = []
  readonly #scenario: Scenario
  readonly #test: TestDatabase<unknown>
  #settings: Record<string, unknown>
  #devices: TestDevices | null = null

  private constructor(scenario: Scenario, test: TestDatabase<unknown>) {
    this.#scenario = scenario
    this.#test = test
    this.#settings = { ...scenario.settings }
  }

  static async open(scenario: Scenario): Promise<World> {
    return new World(scenario, await sqliteEngine().open())
  }

  /** The instance. The first read of this property creates it, and throws for invalid settings. */
  get devices(): TestDevices {
    this.#devices ??= createDevices({
      secret: SECRET,
      database: this.#test.url,
      users: this.users,
      clock: this.clock,
      settings: toSettings(this.#settings),
      trustedProxies: toTrustedProxies(this.#settings, this.#scenario.ours?.trusted_proxies),
      locate: toLocate(this.#settings, (address) => this.#locate(address)),
      logger: { warn: () => {}, error: () => {} },
    })
    return this.#devices
  }

  /** Sets new settings, which restarts the application. */
  async restart(settings: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#devices?.close()
    this.#devices = null
    Object.assign(this.#settings, settings)
  }

  async close(): Promise<void> {
    for (const undo of this.#undo) undo()
    this.recorder.stop()
    await this.#devices?.close()
    await this.#test.close()
  }

  async send(method: string, path: string, sending: Sending = {}): Promise<Response> {
    const { bearer, socket, forwardedFor, userAgent = 'UA', json, body } = sending
    const text = json === undefined ? body : JSON.stringify(json)
    const request = new Request(new URL(path, 'http://localhost'), {
      method,
      headers: {
        'user-agent': userAgent,
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }),
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(text === undefined ? {} : { body: text }),
    })
    return this.devices.fetch(request, socket ? { address: standIn(socket) } : {})
  }

  /** Stores the session and the device of a label. */
  name(label: string, session: Session): void {
    this.sessions.set(label, session)
    this.#labels.set(session.uid, label)
  }

  labelOf(uid: string): string {
    return this.#labels.get(uid) ?? uid
  }

  /** Returns the labels of all registered devices, in order of creation. */
  async living(): Promise<string[]> {
    await this.devices.ready()
    const { database } = this.#test
    const rows = await database
      .executor(database.kysely)
      .query('SELECT uid FROM quillgate_device ORDER BY created_at, uid')
    return rows.map((row) => this.labelOf(String(row['uid'])))
  }

  /** Returns the row of a device in the database. */
  async row(label: string): Promise<Record<string, unknown>> {
    const { database } = this.#test
    const rows = await database
      .executor(database.kysely)
      .query('SELECT * FROM quillgate_device WHERE uid = ?', [this.sessions.get(label)?.uid])
    return { ...rows[0] }
  }

  async setColumn(label: string, column: string, value: boolean): Promise<void> {
    const { database } = this.#test
    await database
      .executor(database.kysely)
      .execute(`UPDATE quillgate_device SET ${column} = ? WHERE uid = ?`, [
        value,
        this.sessions.get(label)?.uid,
      ])
  }

  /** Connects a receiver that throws, after the recorder. */
  failOn(signal: string): void {
    const found = Object.values(SIGNALS).find(({ name }) => name === signal)
    if (!found) throw new Error(`no signal ${signal}`)
    this.#undo.push(
      (found as typeof deviceCreated).connect(() => {
        throw new Error('receiver')
      }),
    )
  }

  /** Returns tokens with our signature that no login issued. */
  mint(userId: string, deviceUid: unknown): Session {
    const now = Math.floor(this.clock() / 1000)
    const claims = {
      iss: 'quillgate',
      aud: 'quillgate:trusted-devices',
      sub: userId,
      iat: now,
      exp: now + 1000,
    }
    const encode = (value: unknown): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url')
    const mint = (label: string): string => {
      const signed = `${encode({ alg: 'HS256', typ: 'at+jwt' })}.${encode({ ...claims, device_uid: deviceUid, generation: 1, counter: 0 })}`
      return `${signed}.${createHmac('sha256', deriveKeys(SECRET, label)[0]).update(signed).digest('base64url')}`
    }
    const refresh = mint('refresh-token')
    return {
      uid: String(deviceUid),
      socket: '203.0.113.10',
      access: mint('access-token'),
      refresh,
      firstRefresh: refresh,
    }
  }

  #locate(address: string): null {
    this.located.push(address)
    const answer = (this.#settings['GEO'] as Record<string, unknown> | undefined)?.[address]
    if (answer === 'THROW') throw new Error('provider')
    // Tests also return values that the type of `locate` does not allow.
    return (answer === 'STRING' ? 'somewhere' : (PLACES[address] ?? {})) as unknown as null
  }
}
