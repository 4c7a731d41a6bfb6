export {
  addressKey,
  addressNetwork,
  type NetworkMatch,
  normalAddress,
  parseNetwork,
} from './address.ts'
export { bearerToken, hasBearer } from './authorization.ts'
export { type ReadJsonOptions, readJson } from './body.ts'
export { type CallChecks, checkCalls, optionalOptions } from './check-calls.ts'
export {
  checkedElsewhere,
  checkOptions,
  mustBeBoolean,
  mustBeFunction,
  mustBeOneOf,
  mustBeWhole,
  mustHave,
  type OptionCheck,
  type OptionChecks,
  parseBasePath,
} from './check-options.ts'
export {
  assetHash,
  type ClientAssets,
  createClientAssets,
  serveClientAssets,
} from './client-assets.ts'
export { combineRuns } from './combine-runs.ts'
export {
  authenticationRequired,
  csrfFailed,
  fileTooLarge,
  invalidRequest,
  notFound,
  unknownEndpoint,
} from './common-errors.ts'
export { type FetchHandler, type RequestContext, requireContext } from './context.ts'
export { type CookieOptions, cookieName, parseCookies, serializeCookie } from './cookies.ts'
export type { CorsOptions } from './cors.ts'
export {
  type Csrf,
  type CsrfOptions,
  type CsrfUser,
  type CsrfVerifier,
  createCsrf,
  csrfTokenFrom,
  type IssuedCsrf,
} from './csrf.ts'
export {
  createEndpoints,
  type Endpoint,
  type EndpointHandler,
  type EndpointsOptions,
} from './endpoints.ts'
export {
  ConfigurationError,
  type FieldError,
  isQuillgateError,
  QuillgateError,
  type QuillgateErrorOptions,
  ValidationError,
} from './errors.ts'
export { escapeHtml } from './escape-html.ts'
export type { ProxyHeader } from './forwarded.ts'
export { type GuardCheck, type GuardResult, guardFetch } from './guard.ts'
export { type HeadersSource, type JsonResponseInit, jsonResponse } from './json.ts'
export { deriveKeys } from './keys.ts'
export { loadPackage } from './load-package.ts'
export { type Logger, logOnce } from './logger.ts'
export { createMemoryRateStore, type MemoryRateStoreOptions } from './memory-rate-store.ts'
export { type MultipartLimits, readMultipart } from './multipart.ts'
export type { MultipartField, MultipartFile, MultipartPart } from './multipart-part.ts'
export { nearNames, suggestion } from './near-names.ts'
export {
  type AddressLimit,
  createNetwork,
  type Network,
  type NetworkOptions,
  networkOptionsOf,
} from './network.ts'
export { methodNotAllowed, type ProblemOptions, problemResponse } from './problem.ts'
export {
  createRateLimiter,
  parseRate,
  type Rate,
  type RateLimiter,
  type RateLimiterOptions,
  timesRate,
} from './rate-limit.ts'
export type { RateStore, RateWindow } from './rate-store.ts'
export { createReady, type Ready, startInBackground } from './ready.ts'
export { givenSettings, KeyError, type SettingsInput, UnknownSettingError } from './settings.ts'
export { toUserId, type UserId } from './user-id.ts'
