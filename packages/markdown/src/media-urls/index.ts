export { findMediaUrls } from './find-media-urls.ts'
export { createMediaId, findMediaIds, mediaIdOfKey, withDimensions } from './media-id.ts'
export { createMediaUrls, type MediaUrl, type MediaUrls } from './media-url.ts'
export { findRewrites, rewriteUrls } from './rewrite-urls.ts'
