import { sqliteEngine } from '@quillgate/server/testing'
import { submitDeviceForm } from '@quillgate/trusted-devices'
import { deviceRevoked } from '@quillgate/trusted-devices/signals'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser } from './support/client.ts'
import { type House, openHouse } from './support/house.ts'

let house: House
let browser: Browser
beforeEach(async () => {
  house = await openHouse(sqliteEngine())
  browser = new Browser(house.devices)
  await browser.login()
  await new BearerClient(house.devices).login()
})
afterEach(() => house.close())

/** Returns a method without its types, so that tests can pass wrong arguments. */
function call(name: string): (...args: unknown[]) => Promise<unknown> {
  const [method = '', group] = name.split('.').reverse()
  const methods = group === undefined ? house.devices : house.devices[group as 'registry']
  const found = methods[method as keyof typeof methods] as (...args: unknown[]) => Promise<unknown>
  return found.bind(methods)
}

const ada = { id: '1' }
const context = () => browser.context('/')
const configurationError = (message: RegExp) =>
  expect.objectContaining({ code: 'configuration_error', message: expect.stringMatching(message) })

describe('the options of methods', () => {
  it.each<[string, () => unknown[], RegExp]>([
    [
      'registry.revokeWhere',
      () => [{ userId: '1' }, { dryrun: true }],
      /^registry\.revokeWhere\.dryrun is not an option\. Perhaps dryRun is/,
    ],
    [
      'registry.revokeWhere',
      () => [{ userId: '1' }, { dryRun: 'yes' }],
      /^registry\.revokeWhere\.dryRun must be true or false/,
    ],
    [
      'registry.revokeAll',
      () => ['1', { kep: 'x' }],
      /^registry\.revokeAll\.kep is not an option\. Perhaps keep is meant/,
    ],
    ['registry.revokeAll', () => ['1', { keep: null }], /^registry\.revokeAll\.keep must be text/],
    [
      'registry.revokeAll',
      () => ['1', { keep: undefined }],
      /^registry\.revokeAll\.keep must be the uid of a device/,
    ],
    [
      'registry.revokeAll',
      () => ['1', 'password_changed'],
      /^registry\.revokeAll must be an object/,
    ],
    ['registry.revoke', () => ['1', 'x', { reson: 'x' }], /^registry\.revoke\.reson .*reason/],
    ['registry.cleanup', () => [{ dryrun: true }], /^registry\.cleanup\.dryrun .*dryRun/],
    ['settle', () => [{ seconds: 5 }], /^settle\.seconds is not an option/],
    ['settle', () => [{ timeout: -1 }], /^settle\.timeout must be a number of seconds/],
    ['registry.list', () => ['1', { limt: 1 }], /^registry\.list\.limt .*limit/],
    ['registry.listAll', () => [{ filtr: { userId: '1' } }], /^registry\.listAll\.filtr .*filter/],
    [
      'login',
      () => [ada, context(), { transport: 'cookie', sesionId: 'x' }],
      /^login\.sesionId .*sessionId/,
    ],
    [
      'guardLogin',
      () => [context(), 'ada', () => ada, { credential: 'x' }],
      /^guardLogin\.credential is not an option/,
    ],
    [
      'secondFactor.remember',
      () => [{ uid: 'x', userId: '1' }, { seconds: 5 }],
      /^secondFactor\.remember\.seconds is not/,
    ],
    [
      'requireTrusted',
      () => [context(), { maxproofage: 300 }],
      /^requireTrusted\.maxproofage .*maxProofAge/,
    ],
    [
      'secondFactor.isRemembered',
      () => [ada, { deviceCredentail: 'x' }],
      /^secondFactor\.isRemembered needs a web Request/,
    ],
  ])('%s rejects unknown options and changes nothing', async (name, args, message) => {
    await expect(call(name)(...args())).rejects.toEqual(configurationError(message))
    expect((await house.devices.registry.list('1')).devices).toHaveLength(2)
    expect(house.signals.names()).not.toContain('device_revoked')
  })

  it('accepts known options', async () => {
    expect(
      await house.devices.registry.revokeWhere({ userId: '1' }, { dryRun: true }),
    ).toMatchObject({
      revoked: 2,
      dryRun: true,
    })
    expect(await house.devices.registry.cleanup({ dryRun: true })).toMatchObject({ dryRun: true })
    expect(await call('registry.revokeAll')('1', {})).toBe(2)
  })

  it('checks the options of a receiver and of a form', async () => {
    const connect = deviceRevoked.connect.bind(deviceRevoked) as (...args: unknown[]) => unknown
    expect(() => connect(() => {}, { di: 'audit' })).toThrow(
      /connect\.di is not an option\. Perhaps id is meant/,
    )
    const options = { acton: '/devices', fields: {} } as unknown as {
      action: string
      fields: object
    }
    const { request } = context()
    await expect(submitDeviceForm(house.devices, request, options as never)).rejects.toThrow(
      /submitDeviceForm\.acton .*action/,
    )
  })
})

describe('errors for invalid arguments', () => {
  it('name the property in the message', async () => {
    const [first] = (await house.devices.registry.list('1')).devices
    await expect(
      call('registry.edit')('1', first?.uid, { can_delete_others: true }),
    ).rejects.toThrow(/can_delete_others: Is not a known property/)
    await expect(call('registry.listAll')({ filter: { contry: 'DE' } })).rejects.toThrow(
      /contry: Is not a condition/,
    )
  })

  it('report a form without a body as a form error, not as a TypeError', async () => {
    const [first] = (await house.devices.registry.list('1')).devices
    const { request } = browser.context(`/devices/${first?.uid}/revoke`)
    const result = await submitDeviceForm(house.devices, request, {
      action: '/devices',
      fields: undefined,
    })
    expect(result).toMatchObject({ status: 403, problem: { code: 'csrf_failed' } })
  })
})

describe('wrong arguments', () => {
  it.each<[string, () => unknown[], RegExp]>([
    [
      'login',
      () => [null, context(), { transport: 'cookie' }],
      /^login needs a user object with the property id/,
    ],
    [
      'login',
      () => [ada, { headers: {} }],
      /^login needs a web Request, or a request of a framework .*app\.use\(mount\(gate\)\)/,
    ],
    [
      'login',
      () => [ada, context(), { transport: 'cookies' }],
      /^login\.transport must be "cookie" or/,
    ],
    [
      'login',
      () => [ada, context(), { transport: 'session' }],
      /^login\.transport "session" needs the option session/,
    ],
    ['authenticate', () => [null], /^authenticate needs a web Request/],
    ['authenticate', () => [], /^authenticate needs a web Request/],
    ['logout', () => [{ headers: {}, url: '/' }], /^logout needs a web Request/],
    ['requireTrusted', () => ['/'], /^requireTrusted needs a web Request/],
    ['guardLogin', () => [5, 'ada', () => ada], /^guardLogin needs a web Request/],
    [
      'secondFactor.remember',
      () => [{ user: ada, device: {} }],
      /^secondFactor\.remember needs the device .*session\.device/,
    ],
  ])('%s explains which argument is expected', async (name, args, message) => {
    await expect(call(name)(...args())).rejects.toEqual(configurationError(message))
  })
})
