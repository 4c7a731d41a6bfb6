import assert from 'node:assert/strict'
import { toNumber } from '@quillgate/server/database'
import { toBoolean } from '../../../server/src/database/values.ts'
import { jsonOf, send } from '../support/client.ts'
import type { TestDevices } from '../support/create-devices.ts'
import { rulesOf, SETTINGS } from './settings.ts'
import { type SpecDevice, Specification } from './specification.ts'
import * as specify from './specify-step.ts'
import type { Step } from './steps.ts'
import { answerOf, byUid, picked, toSpecDevice, toSpecSignal, wireOf } from './translate.ts'
import { type Client, newClients, PLACES, type World } from './world.ts'

const NOWHERE = '01900000-0000-7000-8000-000000000000'
const PATH = '/trusted-devices'

/** Runs sequential steps. The specification defines the exact result of each step. */
export class Sequence {
  readonly #world: World
  readonly #spec: Specification
  readonly #users: readonly string[]
  readonly #clients: readonly Client[] = newClients()
  /** The uids of all devices that have existed. Steps refer to a device by its index. */
  readonly #uids: string[] = []
  #node: TestDevices

  constructor(world: World) {
    this.#world = world
    this.#spec = new Specification(world.clock(), rulesOf({}))
    this.#users = world.newUsers()
    this.#node = world.node({})
  }

  async run(step: Step): Promise<void> {
    this.#world.takeSignals()
    this.#spec.signals = []
    await this.#perform(step)
    assert.deepEqual(this.#world.takeSignals().map(toSpecSignal), this.#spec.signals, 'signals')
    assert.deepEqual(await this.#rows(), this.#expectedRows(), 'rows')
  }

  async end(): Promise<void> {
    for (const user of this.#users) await this.#node.users.deleted(user)
    this.#world.takeSignals()
  }

  async #perform(step: Step): Promise<void> {
    switch (step.do) {
      case 'login':
        return this.#logIn(step)
      case 'refresh':
        return this.#refresh(step)
      case 'look':
        return this.#look(step)
      case 'revoke':
        return this.#act(step, 'DELETE', this.#pathOf(step.device), undefined, (acting) =>
          specify.revoke(this.#spec, acting, this.#uidOf(step.device)),
        )
      case 'revoke all':
        return this.#act(
          step,
          'POST',
          `${PATH}/revoke-all`,
          { keep_current: step.keep },
          (acting) => specify.revokeAll(this.#spec, acting, step.keep),
        )
      case 'edit':
        return this.#act(step, 'PATCH', this.#pathOf(step.device), step.changes, (acting) =>
          specify.edit(this.#spec, acting, this.#uidOf(step.device), step.changes),
        )
      case 'reauthenticate':
        return this.#act(step, 'POST', `${PATH}/reauthenticate`, { password: 'pw' }, (acting) => {
          acting.proved = this.#spec.now
          return '204'
        })
      case 'log out':
        return this.#logOut(step.client)
      case 'clean up':
        return this.#cleanUp(step.days)
      case 'configure': {
        const settings = SETTINGS[step.settings % SETTINGS.length] ?? {}
        this.#node = this.#world.node(settings)
        this.#spec.rules = rulesOf(settings)
        return
      }
      case 'wait':
        this.#world.clock.advance(step.seconds * 1000)
        this.#spec.now = this.#world.clock()
        return
      case 'application':
        return this.#apply(step)
    }
  }

  async #logIn({ client, user, credential: age, place }: Step & { do: 'login' }): Promise<void> {
    const holder = this.#clients[client] as Client
    const [address, country] = PLACES[place] ?? PLACES[0]
    const name = this.#users[user] ?? ''
    const held = age === null ? undefined : holder.credentials.at(-1 - age)
    const response = await send(this.#node, 'POST', `${PATH}/token`, {
      address,
      headers: { 'user-agent': 'model/1.0' },
      json: { username: name, password: 'pw', ...(held ? { device_credential: held.token } : {}) },
    })
    const body = await jsonOf(response)
    const credential = held?.user === name ? held : null
    const { answer, device } = specify.login(this.#spec, { user: name, country, credential }, () =>
      String(body['device_uid']),
    )
    assert.equal(answerOf(response, body), answer)
    if (!device) return
    assert.equal(body['device_uid'], device.uid, 'the device that signed in')
    if (!this.#uids.includes(device.uid)) this.#uids.push(device.uid)
    this.#recordTokens(holder, device, body)
    const token = String(body['device_credential'])
    holder.credentials.push({ token, user: name, uid: device.uid, counter: device.credential })
  }

  async #refresh({ client, age }: Step & { do: 'refresh' }): Promise<void> {
    const holder = this.#clients[client] as Client
    const held = holder.refresh.at(-1 - age)
    if (!held) return
    const response = await send(this.#node, 'POST', `${PATH}/token/refresh`, {
      json: { refresh: held.token },
    })
    const body = await jsonOf(response)
    const { answer, device } = specify.refresh(this.#spec, held)
    assert.equal(answerOf(response, body), answer)
    if (device) this.#recordTokens(holder, device, body)
  }

  async #look({ client, age }: Step & { do: 'look' }): Promise<void> {
    const held = (this.#clients[client] as Client).access.at(-1 - age)
    if (!held) return
    const response = await this.#send('GET', `${PATH}?limit=100`, held.token)
    const body = await jsonOf(response)
    const acting = specify.identify(this.#spec, held)
    assert.equal(answerOf(response, body), acting ? '200' : specify.refusalOf(this.#spec, held))
    if (!acting) return
    const expected = this.#spec
      .devicesOf(acting.user)
      .sort((a, b) => b.seen - a.seen || (a.uid < b.uid ? 1 : -1))
      .map((device) => ({ ...wireOf(device), is_current: device === acting }))
    const devices = body['devices'] as readonly Record<string, unknown>[]
    assert.deepEqual(devices.map(picked), expected, 'the list')
  }

  /** Sends a request that requires a device. */
  async #act(
    { client }: { readonly client: number },
    method: string,
    path: string,
    json: unknown,
    rule: (acting: SpecDevice) => specify.Answer,
  ): Promise<void> {
    const held = (this.#clients[client] as Client).access.at(-1)
    if (!held) return
    const response = await this.#send(method, path, held.token, json)
    const body = response.status === 204 ? {} : await jsonOf(response)
    const acting = specify.identify(this.#spec, held)
    const count = typeof body['revoked_count'] === 'number' ? ` ${body['revoked_count']}` : ''
    assert.equal(
      answerOf(response, body) + count,
      acting ? rule(acting) : specify.refusalOf(this.#spec, held),
    )
  }

  /** Signs out. Requires only a valid token, and does not count as a use of the device. */
  async #logOut(client: number): Promise<void> {
    const held = (this.#clients[client] as Client).access.at(-1)
    if (!held) return
    const response = await this.#send('POST', `${PATH}/logout`, held.token)
    const body = response.status === 204 ? {} : await jsonOf(response)
    const acting = specify.findSession(this.#spec, held)
    if (acting) this.#spec.revoke([acting], 'logout', acting.uid)
    assert.equal(answerOf(response, body), acting ? '204' : specify.refusalOf(this.#spec, held))
  }

  async #cleanUp(days: number | null): Promise<void> {
    const { rules, now } = this.#spec
    const { revoked } = await this.#node.registry.cleanup(
      days === null ? {} : { olderThan: days * 86_400 },
    )
    const age = days === null ? rules.staleAfter : days * 86_400
    for (const [uid, record] of this.#spec.revokedDevices)
      if (record.revokedAt < now - 400 * 86_400_000) this.#spec.revokedDevices.delete(uid)
    let expected = 0
    for (const user of [...this.#users].sort()) {
      const stale = this.#spec.devicesOf(user).filter((device) => this.#spec.isStale(device, age))
      expected += stale.length
      this.#spec.revoke(stale, 'stale', null)
    }
    assert.equal(revoked, expected)
  }

  async #apply({ what, user, device }: Step & { do: 'application' }): Promise<void> {
    const id = this.#users[user] ?? ''
    const uid = this.#uidOf(device)
    if (what === 'revoke') await this.#node.registry.revoke(id, uid)
    if (what === 'revoke all') await this.#node.registry.revokeAll(id)
    if (what === 'delete the user') await this.#node.users.deleted(id)
    if (what === 'activate the user' || what === 'deactivate the user') {
      this.#world.users.set({
        id,
        username: id,
        password: 'pw',
        active: what === 'activate the user',
      })
    }
    if (what === 'deactivate the user') await this.#node.users.deactivated(id)
    specify.application(this.#spec, what, id, uid)
  }

  #recordTokens(
    holder: Client,
    { uid, generation, counter }: SpecDevice,
    body: Readonly<Record<string, unknown>>,
  ): void {
    const expires = Math.floor(this.#spec.now / 1000) + 300
    holder.access.push({ token: String(body['access']), uid, generation, counter, expires })
    holder.refresh.push({ token: String(body['refresh']), uid, generation, counter, expires })
  }

  #send(method: string, path: string, access: string, json?: unknown): Promise<Response> {
    return send(this.#node, method, path, {
      headers: { authorization: `Bearer ${access}` },
      ...(json === undefined ? {} : { json }),
    })
  }

  #uidOf(device: number): string {
    return this.#uids[device % Math.max(1, this.#uids.length)] ?? NOWHERE
  }

  #pathOf(device: number): string {
    return `${PATH}/${this.#uidOf(device)}`
  }

  async #rows(): Promise<Rows> {
    const marks = this.#world.sql.dialect === 'postgres' ? '$1, $2' : '?, ?'
    const of = (table: string) =>
      this.#world.sql.query(
        `SELECT * FROM quillgate_device${table} WHERE user_id IN (${marks})`,
        this.#users,
      )
    const [devices, revoked] = [await of(''), await of('_revoked')]
    return {
      devices: devices.map(toSpecDevice).sort(byUid),
      revokedDevices: revoked
        .map(
          (row) =>
            [
              String(row['uid']),
              toNumber(row['credential_counter']),
              toBoolean(row['may_return']),
              toNumber(row['revoked_at']),
            ] as const,
        )
        .sort(),
    }
  }

  #expectedRows(): Rows {
    const { devices, revokedDevices } = this.#spec
    return {
      devices: [...devices.values()].map((device) => ({ ...device })).sort(byUid),
      revokedDevices: [...revokedDevices.values()]
        .map(
          ({ device, mayReturn, revokedAt }) =>
            [device.uid, device.credential, mayReturn, revokedAt] as const,
        )
        .sort(),
    }
  }
}

interface Rows {
  readonly devices: readonly SpecDevice[]
  readonly revokedDevices: readonly (readonly [
    uid: string,
    credential: number,
    mayReturn: boolean,
    revokedAt: number,
  ])[]
}
