export { type ResizeImagesOptions, resizeImages } from './resize-images.ts'
