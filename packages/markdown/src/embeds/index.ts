export { knownEmbedHosts } from '../policy/default-policy.ts'
export type { EmbedHost } from '../policy/policy.ts'
export { type FrameAttributes, findEmbedHost, toEmbed, toEmbedHosts, toFrame } from './frame.ts'
