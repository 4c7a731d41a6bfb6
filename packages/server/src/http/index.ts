export { bearerToken, csrfTokenFrom, hasBearer } from './authorization.ts'
export { readJson } from './body.ts'
export { type ClientAssets, createClientAssets } from './client-assets.ts'
export type { RequestContext, RequestContexts } from './context.ts'
export { cookieName, parseCookies } from './cookies.ts'
export type { CorsOptions } from './cors.ts'
export { type Csrf, type CsrfUser, isSameOrigin, requireCsrf } from './csrf/csrf.ts'
export {
  type Access,
  createDefineEndpoint,
  type DefineEndpoint,
  type Endpoint,
  type PathParam,
  PUBLIC,
} from './endpoint.ts'
export { createEndpoints, type Endpoints } from './endpoints.ts'
export { bodies } from './multipart/multipart-body.ts'
export type { MultipartFile, MultipartPart } from './multipart/read-multipart.ts'
export { addressNetwork } from './network/address.ts'
export type { AddressLimit, Network } from './network/network.ts'
export type { OpenApiDocument } from './openapi.ts'
export { problemResponse } from './problem.ts'
export { type JsonSchema, parseProperties } from './properties.ts'
export type { RateStore } from './rate-limit/memory-rate-store.ts'
export {
  parseRate,
  type Rate,
  type RateLimiter,
  rate,
  timesRate,
} from './rate-limit/rate-limit.ts'
