import { getSetting, isQuillgateError } from '@quillgate/server/core'
import { createMemoryUsers } from '@quillgate/trusted-devices/testing'
import { renderDeviceList } from '@quillgate/trusted-devices-client/list'
import { expect, it } from 'vitest'
import { describeLookUps, runQuietly, withMember } from '../../../tests/support/prototype-names.ts'
import { runCli } from '../src/cli/run.ts'
import { CONSTANTS, resolveSettings } from '../src/settings.ts'
import { send } from './support/client.ts'
import { createDevices } from './support/create-devices.ts'
import { SECRET } from './support/house.ts'
import { useClient } from './support/use-client.ts'

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36'

const opened = useClient()

const LIST = {
  devices: [],
  nextCursor: null,
  current: 'x',
  basePath: '/d',
  action: '/d',
  csrfToken: 't',
  locale: 'en',
  now: new Date(0),
}
async function outcome(lookUp: (word: string) => unknown, word: string): Promise<string> {
  const plain = (value: unknown): string =>
    (JSON.stringify(value) ?? 'undefined').replaceAll(word, 'WORD')
  try {
    const value = await lookUp(word)
    if (!(value instanceof Response)) return plain(value)
    const body = (await value.text())
      .replaceAll(word, 'WORD')
      .replace(/"(access|refresh|device_\w+)":"[^"]*"/g, '$1')
    return `${value.status} ${body}`
  } catch (error) {
    return isQuillgateError(error) ? `${error.status} ${error.code}` : String(error)
  }
}

const login = (headers: Record<string, string>, password = 'pw'): Promise<Response> =>
  send(opened.devices, 'POST', '/trusted-devices/token', {
    headers: { 'user-agent': CHROME, ...headers },
    json: { username: 'ada', password },
  })

const LOOKUPS: Readonly<Record<string, (word: string) => unknown>> = {
  ...Object.fromEntries(
    [
      'user-agent',
      'accept-language',
      'origin',
      'forwarded',
      'x-forwarded-for',
      'content-language',
      'accept',
    ].map((header) => [`the header ${header}`, (word: string) => login({ [header]: word })]),
  ),
  'a product of the user agent': async (word) => {
    await login({ 'user-agent': `${word}/1.0` })
    return (await opened.devices.registry.list('1')).devices[0]?.browser
  },
  'the scheme of authorization': (word) =>
    send(opened.devices, 'GET', '/trusted-devices', {
      headers: { authorization: `${word} x` },
    }),
  'a cookie': (word) =>
    send(opened.devices, 'GET', '/trusted-devices', {
      headers: { cookie: `${word}=${word}` },
    }),
  'a content type': (word) => login({ 'content-type': word }),
  'a charset': (word) => login({ 'content-type': `application/json; charset=${word}` }),
  'a method': (word) =>
    opened.devices.fetch(new Request('http://localhost/trusted-devices', { method: word })),
  'a part of the path': (word) => send(opened.devices, 'GET', `/trusted-devices/${word}/${word}`),
  'a uid': (word) =>
    opened.client.send('PATCH', `/trusted-devices/${word}`, { json: { name: 'x' } }),
  'the name of an asset': (word) =>
    send(opened.devices, 'GET', `/trusted-devices/assets/${word}/${word}`),
  'a member of a query': (word) => opened.client.send('GET', `/trusted-devices?${word}=1`),
  'a limit': (word) => opened.client.send('GET', `/trusted-devices?limit=${word}`),
  'a cursor': (word) => opened.client.send('GET', `/trusted-devices?cursor=${word}`),
  'a member of a body': (word) =>
    send(opened.devices, 'POST', '/trusted-devices/token/verify', { json: withMember(word) }),
  'a member beside others': (word) =>
    opened.client.send('PATCH', `/trusted-devices/${opened.client.uid}`, {
      json: { ...withMember(word), name: 'x' },
    }),
  'the name of a user': (word) =>
    send(opened.devices, 'POST', '/trusted-devices/token', {
      json: { username: word, password: 'pw' },
    }),
  'a token': (word) =>
    send(opened.devices, 'POST', '/trusted-devices/token/refresh', {
      json: { refresh: word },
    }),
  'a name for a device': async (word) => {
    await opened.client.send('PATCH', `/trusted-devices/${opened.client.uid}`, {
      json: { name: word },
    })
    return (await opened.devices.registry.list('1')).devices[0]?.name
  },
  'an endpoint of url()': (word) => opened.devices.url(word as 'list'),
  'a setting': (word) => resolveSettings(withMember(word), CONSTANTS),
  'getSetting()': (word) => getSetting(resolveSettings({}, CONSTANTS), word as 'maxDevices'),
  'an option': (word) =>
    createDevices({
      ...{ secret: SECRET, database: 'sqlite::memory:', users: createMemoryUsers([]) },
      ...withMember(word),
    } as never),
  'a filter': (word) => opened.devices.registry.listAll({ filter: withMember(word) }),
  'a change of a device': (word) =>
    opened.devices.registry.edit('1', opened.client.uid, withMember(word)),
  'the id of a user': (word) => opened.devices.registry.list(word),
  'the code of a problem on the page': (word) =>
    renderDeviceList({ ...LIST, problem: { code: word, detail: 'detail' } }),
  'a locale of the page': (word) => renderDeviceList({ ...LIST, locale: word }),
  'a command': (word) => runQuietly(runCli, [word]),
  'an option of a command': (word) => runQuietly(runCli, ['list', `--${word}`]),
}

describeLookUps(LOOKUPS, outcome)

it('reads headers before it checks the password, so that unreadable headers reveal nothing', async () => {
  const broken = new Request('http://localhost/login', { method: 'POST' })
  Object.defineProperty(broken, 'headers', {
    value: {
      get: () => {
        throw new Error('unreadable')
      },
    },
  })
  let checked = 0
  const check = (): null => {
    checked++
    return null
  }
  await expect(opened.devices.guardLogin({ request: broken }, 'ada', check)).rejects.toThrow(
    'unreadable',
  )
  expect(checked).toBe(0)
})
