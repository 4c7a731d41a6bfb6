import { sqliteEngine } from '@quillgate/server/testing'
import { submitDeviceForm, type TrustedDevices } from '@quillgate/trusted-devices'
import { deviceRevoked } from '@quillgate/trusted-devices/signals'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BearerClient, Browser } from './support/client.ts'
import { type House, openHouse } from './support/house.ts'

let house: House
let devices: Record<string, (...args: unknown[]) => Promise<unknown>> // As JavaScript sees them.
let browser: Browser
beforeEach(async () => {
  house = await openHouse(sqliteEngine())
  devices = house.devices as unknown as typeof devices
  browser = new Browser(house.devices)
  await browser.login()
  await new BearerClient(house.devices).login()
})
afterEach(() => house.close())

const ada = { id: '1' }
const context = () => browser.context('/')
const configurationError = (message: RegExp) =>
  expect.objectContaining({ code: 'configuration_error', message: expect.stringMatching(message) })

describe('options of calls', () => {
  it.each<[keyof TrustedDevices, () => unknown[], RegExp]>([
    [
      'revokeWhere',
      () => [{ userId: '1' }, { dryrun: true }],
      /^revokeWhere\.dryrun is not an option\. Perhaps dryRun is/,
    ],
    [
      'revokeWhere',
      () => [{ userId: '1' }, { dryRun: 'yes' }],
      /^revokeWhere\.dryRun must be true or false/,
    ],
    [
      'revokeAll',
      () => ['1', { kep: 'x' }],
      /^revokeAll\.kep is not an option\. Perhaps keep is meant/,
    ],
    ['revokeAll', () => ['1', { keep: null }], /^revokeAll\.keep must be text/],
    ['revokeAll', () => ['1', { keep: undefined }], /^revokeAll\.keep must be the uid of a device/],
    ['revokeAll', () => ['1', 'password_changed'], /^revokeAll needs an object of options/],
    ['revoke', () => ['1', 'x', { reson: 'x' }], /^revoke\.reson .*reason/],
    [
      'revokeAllAs',
      () => [{ uid: 'x', userId: '1' }, { keep_current: true }],
      /^revokeAllAs\.keep_current .*keepCurrent/,
    ],
    ['cleanup', () => [{ dryrun: true }], /^cleanup\.dryrun .*dryRun/],
    ['settle', () => [{ seconds: 5 }], /^settle\.seconds is not an option/],
    ['settle', () => [{ timeout: -1 }], /^settle\.timeout must be a number of seconds/],
    ['list', () => ['1', { limt: 1 }], /^list\.limt .*limit/],
    ['listAll', () => [{ filtr: { userId: '1' } }], /^listAll\.filtr .*filter/],
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
      'rememberSecondFactor',
      () => [{ uid: 'x', userId: '1' }, { seconds: 5 }],
      /^rememberSecondFactor\.seconds is not/,
    ],
    [
      'requireTrusted',
      () => [context(), { maxproofage: 300 }],
      /^requireTrusted\.maxproofage .*maxProofAge/,
    ],
    [
      'isSecondFactorRemembered',
      () => [ada, { deviceCredentail: 'x' }],
      /^isSecondFactorRemembered needs the context/,
    ],
  ])('%s refuses what it does not know, and does nothing', async (name, args, message) => {
    await expect(devices[name]?.(...args())).rejects.toEqual(configurationError(message))
    expect((await house.devices.list('1')).devices).toHaveLength(2)
    expect(house.signals.names()).not.toContain('device_revoked')
  })

  it('takes what it knows', async () => {
    expect(await house.devices.revokeWhere({ userId: '1' }, { dryRun: true })).toMatchObject({
      revoked: 2,
      dryRun: true,
    })
    expect(await house.devices.cleanup({ dryRun: true })).toMatchObject({ dryRun: true })
    expect(await devices['revokeAll']?.('1', {})).toBe(2)
  })

  it('of a receiver and of a form are checked too', async () => {
    const connect = deviceRevoked.connect.bind(deviceRevoked) as (...args: unknown[]) => unknown
    expect(() => connect(() => {}, { di: 'audit' })).toThrow(
      /connect\.di is not an option\. Perhaps id is meant/,
    )
    const options = { acton: '/devices', fields: {} } as unknown as {
      action: string
      fields: object
    }
    await expect(submitDeviceForm(house.devices, context(), options as never)).rejects.toThrow(
      /submitDeviceForm\.acton .*action/,
    )
  })
})

describe('refusals of what is given', () => {
  it('name the member in the message, which is all that a log shows', async () => {
    const [first] = (await house.devices.list('1')).devices
    await expect(devices['edit']?.('1', first?.uid, { can_delete_others: true })).rejects.toThrow(
      /can_delete_others: Is not a member/,
    )
    await expect(devices['listAll']?.({ filter: { contry: 'DE' } })).rejects.toThrow(
      /contry: Is not a member/,
    )
  })

  it('of a form without a body is that of the form, not a TypeError', async () => {
    const [first] = (await house.devices.list('1')).devices
    const { request } = browser.context(`/devices/${first?.uid}/revoke`)
    const result = await submitDeviceForm(
      house.devices,
      { request },
      { action: '/devices', fields: undefined },
    )
    expect(result).toMatchObject({ status: 403, problem: { code: 'csrf_failed' } })
  })
})

describe('wrong arguments', () => {
  it.each<[keyof TrustedDevices, () => unknown[], RegExp]>([
    [
      'login',
      () => [null, context(), { transport: 'cookie' }],
      /^login needs a user, with the member id/,
    ],
    [
      'login',
      () => [ada, context().request, { transport: 'cookie' }],
      /^login needs the context .*fromExpress\(req\)/,
    ],
    ['login', () => [ada, context()], /^login needs the option transport/],
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
    [
      'authenticate',
      () => [context().request],
      /^authenticate needs the context .*\(got the request itself\)/,
    ],
    ['authenticate', () => [], /^authenticate needs the context/],
    ['logout', () => [{ headers: {}, url: '/' }], /^logout needs the context/],
    ['requireTrusted', () => [context().request], /^requireTrusted needs the context/],
    ['guardLogin', () => [context().request, 'ada', () => ada], /^guardLogin needs the context/],
    [
      'guardLogin',
      () => [context(), 'ada', ada],
      /^guardLogin needs a function that checks the password/,
    ],
    ['revokeAs', () => [null, 'x'], /^revokeAs needs a device/],
    [
      'rememberSecondFactor',
      () => [{ user: ada, device: {} }],
      /^rememberSecondFactor needs a device: .*session\.device/,
    ],
  ])('%s says what to pass', async (name, args, message) => {
    await expect(devices[name]?.(...args())).rejects.toEqual(configurationError(message))
  })
})
