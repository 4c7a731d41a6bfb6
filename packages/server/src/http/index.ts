export {
  type AnswerCookies,
  createAnswerCookies,
  noCookies,
  withCookies,
} from './answer-cookies.ts'
export { bearerToken, csrfTokenFrom, hasBearer } from './authorization.ts'
export { type ReadJsonOptions, readJson } from './body.ts'
export {
  type BodyKind,
  formBody,
  type JsonBodyOptions,
  jsonBody,
  type OpenBody,
  propertiesBody,
} from './body-kinds.ts'
export {
  assetHash,
  assetRoute,
  type ClientAssets,
  createClientAssets,
} from './client-assets.ts'
export type {
  Connection,
  FetchHandler,
  Identity,
  IncomingRequest,
  RequestContext,
} from './context.ts'
export { type CookieOptions, cookieName, parseCookies, serializeCookie } from './cookies.ts'
export type { CorsOptions } from './cors.ts'
export {
  type Csrf,
  type CsrfOptions,
  type CsrfUser,
  type CsrfVerifier,
  checkCsrf,
  createCsrf,
} from './csrf/csrf.ts'
export {
  type Access,
  type Answer,
  createDefineEndpoint,
  type DefineEndpoint,
  type Endpoint,
  type EndpointDefinition,
  type EndpointInput,
  type ErrorAnswer,
  type Method,
  type Operation,
  type PathParam,
  type PathParams,
  PUBLIC,
  type Route,
} from './endpoint.ts'
export { createEndpoints, type Endpoints, type EndpointsOptions } from './endpoints.ts'
export { type MultipartLimits, readMultipart } from './multipart/multipart.ts'
export { type MultipartBodyOptions, multipartBody } from './multipart/multipart-body.ts'
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
} from './network/network.ts'
export { createOpenApi, type OpenApiDocument, type OpenApiSource } from './openapi.ts'
export { methodNotAllowed, type ProblemOptions, problemResponse } from './problem.ts'
export {
  type JsonSchema,
  type Properties,
  type PropertyRule,
  type PropertyRules,
  parseProperties,
  parseQuery,
  propertiesSchema,
} from './properties.ts'
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
export { openContext, type RequestContexts, type RequestKind } from './request-contexts.ts'
