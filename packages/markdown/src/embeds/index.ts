export { knownEmbedHosts } from '../policy/default-policy.ts'
export type { EmbedHost } from '../policy/policy.ts'
export { findEmbedHost, toEmbedHosts } from './embed-hosts.ts'
export { type FrameAttributes, toEmbed, toFrame } from './frame.ts'
