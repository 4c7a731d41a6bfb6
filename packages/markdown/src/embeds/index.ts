export { knownEmbedHosts } from '../policy/default-policy.ts'
export type { EmbedHost } from '../policy/policy.ts'
export { type FrameAttributes, toEmbed, toEmbedHosts, toFrame } from './frame.ts'
