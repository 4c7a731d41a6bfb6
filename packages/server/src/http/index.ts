export { bearerToken, hasBearer } from './authorization.ts'
export { type ReadJsonOptions, readJson } from './body.ts'
export {
  assetHash,
  type ClientAssets,
  createClientAssets,
  serveClientAssets,
} from './client-assets.ts'
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
} from './csrf/csrf.ts'
export {
  createEndpoints,
  type Endpoint,
  type EndpointHandler,
  type EndpointsOptions,
} from './endpoints.ts'
export { type GuardCheck, type GuardResult, guardFetch } from './guard.ts'
export { type MultipartLimits, readMultipart } from './multipart/multipart.ts'
export type { MultipartField, MultipartFile, MultipartPart } from './multipart/multipart-part.ts'
export {
  addressKey,
  addressNetwork,
  type NetworkMatch,
  normalAddress,
  parseNetwork,
} from './network/address.ts'
export type { ProxyHeader } from './network/forwarded.ts'
export {
  type AddressLimit,
  createNetwork,
  type Network,
  type NetworkOptions,
  networkOptionsOf,
} from './network/network.ts'
export { methodNotAllowed, type ProblemOptions, problemResponse } from './problem.ts'
export {
  createDatabaseRateStore,
  type DatabaseRateStore,
  type DatabaseRateStoreOptions,
  rateMigrations,
} from './rate-limit/database-rate-store.ts'
export {
  createMemoryRateStore,
  type MemoryRateStoreOptions,
} from './rate-limit/memory-rate-store.ts'
export {
  createRateLimiter,
  parseRate,
  type Rate,
  type RateLimiter,
  type RateLimiterOptions,
  rate,
  timesRate,
} from './rate-limit/rate-limit.ts'
export type { RateStore, RateWindow } from './rate-limit/rate-store.ts'
export { SHARED_OPTIONS } from './shared-options.ts'
