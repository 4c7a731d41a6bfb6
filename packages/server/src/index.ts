export {
  ConfigurationError,
  isQuillgateError,
  QuillgateError,
} from './core/errors.ts'
export type { Logger } from './core/logger.ts'
export type { ConnectionInfo, RequestContext } from './http/context.ts'
export type { CorsOptions } from './http/cors.ts'
export type { CsrfUser, CsrfVerifier } from './http/csrf/csrf.ts'
export type { QuillgateOptions } from './options.ts'
export { checkGate, createQuillgate, type GateParts, type Quillgate } from './quillgate.ts'
