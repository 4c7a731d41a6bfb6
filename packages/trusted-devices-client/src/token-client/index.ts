export { TokenClientError } from './errors.ts'
export type { TokenChannel, TokenLocks, TokenStorage } from './platform.ts'
export { createTokenClient, type TokenClient, type TokenClientOptions } from './token-client.ts'
