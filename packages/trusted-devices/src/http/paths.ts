import { ConfigurationError, serverError } from '@quillgate/server/core'

/** The paths of the endpoints, relative to the base path. */
export const PATHS = {
  list: '',
  token: '/token',
  tokenRefresh: '/token/refresh',
  tokenVerify: '/token/verify',
  reauthenticate: '/reauthenticate',
  logout: '/logout',
  revokeAll: '/revoke-all',
  openApi: '/openapi.json',
  secondFactor: '/:uid/second-factor',
  device: '/:uid',
} as const

/** The path of the scripts and stylesheets of `<trusted-devices>`, relative to the base path. */
export const ASSETS = '/assets/'

/** The names of the endpoints. */
export type EndpointName = keyof typeof PATHS

/** Returns the path of an endpoint. */
export type EndpointUrl = <Name extends EndpointName>(
  name: Name,
  ...params: Name extends 'device' | 'secondFactor' ? [params: { readonly uid: string }] : []
) => string

/** Returns the path of an endpoint, relative to the base path. See `TrustedDevices.url`. */
export function endpointPath(
  name: EndpointName,
  params: Readonly<Record<string, unknown>>,
): string {
  if (!Object.hasOwn(PATHS, name)) {
    const known = Object.keys(PATHS).join(', ')
    const detail = `There is no endpoint ${JSON.stringify(name)}. Known names are ${known}.`
    throw serverError('unknown_endpoint', detail)
  }
  return PATHS[name].replace(/:(\w+)/g, (_, key: string) => {
    const value = Object.hasOwn(params, key) ? params[key] : undefined
    if (typeof value === 'string' && value !== '') return encodeURIComponent(value)
    const problem = `needs { ${key} } with a non-empty string`
    throw new ConfigurationError(`url('${name}')`, problem, value)
  })
}
