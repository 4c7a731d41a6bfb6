export type { AlertKind } from './alert-kinds.ts'
export { BaseRenderer } from './base-renderer.ts'
export {
  createHighlighter,
  type Highlight,
  type HighlightJs,
  type LanguageDefinition,
} from './highlighting/highlighter.ts'
export {
  IncrementalRenderer,
  type RenderedBlock,
  type RenderPatch,
} from './incremental-renderer.ts'
export type { MarkdownItConstructor, MarkdownItLike, MarkdownItPlugin } from './markdown-it-like.ts'
export { MarkdownRenderer } from './markdown-renderer.ts'
export { DefaultRenderer, type DefaultRendererOptions } from './node/default-renderer.ts'
export { defaultEmbedHosts, defaultPolicy } from './policy/default-policy.ts'
export {
  type ElementExtension,
  extendPolicy,
  type PolicyExtension,
} from './policy/extend-policy.ts'
export type { AttributeRule, ElementRule, EmbedHost, RenderPolicy } from './policy/policy.ts'
export type { PreviewOptions } from './preview-options.ts'
export type {
  PlacedHeading,
  PlacedMedium,
  PlacedRemoval,
  RenderedDocument,
  SourceBlock,
} from './rendered-document.ts'
export type { MarkdownRendererOptions, RenderOptions } from './renderer-options.ts'
export type { OnFinding, RenderFinding } from './verification/verify-html.ts'
export type {
  Heading,
  MediumAttributes,
  OnMedium,
  Removal,
  RenderedMedium,
} from './writing/collector.ts'
