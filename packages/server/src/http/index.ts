export { withCookies } from './answer-cookies.ts'
export { bearerToken, csrfTokenFrom, hasBearer } from './authorization.ts'
export { readJson } from './body.ts'
export { formBody, jsonBody, propertiesBody } from './body-kinds.ts'
export {
  assetHash,
  assetRoute,
  type ClientAssets,
  createClientAssets,
  findClient,
} from './client-assets.ts'
export {
  type Connection,
  type FetchHandler,
  type Identity,
  type IncomingRequest,
  isFresh,
  type KeptIdentity,
  type RequestContext,
} from './context.ts'
export { cookieName, parseCookies, serializeCookie } from './cookies.ts'
export type { CorsOptions } from './cors.ts'
export { type Csrf, type CsrfUser, type CsrfVerifier, checkCsrf, createCsrf } from './csrf/csrf.ts'
export {
  type Access,
  type Answer,
  createDefineEndpoint,
  type DefineEndpoint,
  type Endpoint,
  type Method,
  type PathParam,
  PUBLIC,
  type Route,
} from './endpoint.ts'
export { createEndpoints, type Endpoints, type EndpointsOptions } from './endpoints.ts'
export { type MultipartLimits, readMultipart } from './multipart/multipart.ts'
export { multipartBody } from './multipart/multipart-body.ts'
export type { MultipartFile, MultipartPart } from './multipart/multipart-part.ts'
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
} from './network/network.ts'
export { createOpenApi, type OpenApiDocument } from './openapi.ts'
export { methodNotAllowed, problemResponse } from './problem.ts'
export {
  type JsonSchema,
  type Properties,
  type PropertyRule,
  parseProperties,
  propertiesSchema,
} from './properties.ts'
export {
  createDatabaseRateStore,
  type DatabaseRateStore,
  rateMigrations,
} from './rate-limit/database-rate-store.ts'
export { createMemoryRateStore } from './rate-limit/memory-rate-store.ts'
export {
  createRateLimiter,
  parseRate,
  type Rate,
  type RateLimiter,
  rate,
  timesRate,
} from './rate-limit/rate-limit.ts'
export type { RateStore } from './rate-limit/rate-store.ts'
export { openContext, type RequestContexts, type RequestKind } from './request-contexts.ts'
