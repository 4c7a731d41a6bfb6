import { ConfigurationError, unknownEndpoint } from '@quillgate/server/core'
import type { EndpointName } from '../options.ts'

/** The paths of the endpoints below the base path. */
export const PATHS = {
  list: '',
  token: '/token',
  tokenRefresh: '/token/refresh',
  tokenVerify: '/token/verify',
  reauthenticate: '/reauthenticate',
  logout: '/logout',
  revokeAll: '/revoke-all',
  openApi: '/openapi.json',
  alert: '/alerts/:token',
  alertAnswer: '/alerts',
  secondFactor: '/:uid/second-factor',
  device: '/:uid',
} as const satisfies Readonly<Record<EndpointName, string>>

/**
 * Returns the path of an endpoint below the base path.
 *
 * @throws QuillgateError `unknown_endpoint`; ConfigurationError for a parameter that is missing
 */
export function endpointPath(
  name: EndpointName,
  params: Readonly<Record<string, unknown>>,
): string {
  if (!Object.hasOwn(PATHS, name)) throw unknownEndpoint(name, Object.keys(PATHS))
  return PATHS[name].replace(/:(\w+)/g, (_, key: string) => {
    const value = Object.hasOwn(params, key) ? params[key] : undefined
    if (typeof value === 'string' && value !== '') return encodeURIComponent(value)
    throw new ConfigurationError(
      `url('${name}')`,
      `needs { ${key} }, a text that is not empty`,
      value,
    )
  })
}
