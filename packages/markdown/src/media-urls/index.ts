export { createMediaId, findMediaIds } from './media-id.ts'
export { createMediaUrls, type MediaUrl, type MediaUrls } from './media-url.ts'
export { findMediaUrls, findRewrites, rewriteUrls } from './urls-in-text.ts'
