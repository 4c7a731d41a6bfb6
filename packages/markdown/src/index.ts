export type { AlertKind } from './grammar/alert-kinds.ts'
export type {
  MarkdownItConstructor,
  MarkdownItLike,
  MarkdownItPlugin,
} from './grammar/markdown-it-like.ts'
export { DEFAULT_HIGHLIGHT_LANGUAGES } from './highlighting/highlight-languages.ts'
export {
  createHighlighter,
  type Highlight,
  type HighlightJs,
  type LanguageDefinition,
} from './highlighting/highlighter.ts'
export { DefaultRenderer, type DefaultRendererOptions } from './node/default-renderer.ts'
export { extractMediaUrls } from './node/extract-media-urls.ts'
export { isMarkdownItInstalled } from './node/find-markdown-it.ts'
export type { PreviewOptions } from './options/preview-options.ts'
export type { MarkdownRendererOptions, RenderOptions } from './options/renderer-options.ts'
export { defaultEmbedHosts, defaultPolicy } from './policy/default-policy.ts'
export {
  type ElementExtension,
  extendPolicy,
  type PolicyExtension,
} from './policy/extend-policy.ts'
export type { AttributeRule, ElementRule, EmbedHost, RenderPolicy } from './policy/policy.ts'
export { BaseRenderer } from './renderer/base-renderer.ts'
export {
  IncrementalRenderer,
  type RenderedBlock,
  type RenderPatch,
} from './renderer/incremental-renderer.ts'
export { MarkdownRenderer } from './renderer/markdown-renderer.ts'
export type {
  PlacedHeading,
  PlacedMedium,
  PlacedRemoval,
  RenderedDocument,
  SourceBlock,
} from './renderer/rendered-document.ts'
export type { OnFinding, RenderFinding } from './verification/verify-html.ts'
export type {
  Heading,
  MediumAttributes,
  OnMedium,
  Removal,
  RenderedMedium,
} from './writing/collector.ts'
