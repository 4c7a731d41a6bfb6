export { BaseRenderer } from './base-renderer.ts'
export type { MarkdownItConstructor, MarkdownItLike } from './markdown-it-like.ts'
export { DefaultRenderer, type DefaultRendererOptions } from './node/default-renderer.ts'
export {
  type AttributeRule,
  defaultEmbedHosts,
  defaultPolicy,
  type ElementRule,
  type EmbedHost,
  type RenderPolicy,
} from './policy.ts'
