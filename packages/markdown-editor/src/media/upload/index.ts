export { createAddMedia, type FileToAdd } from './add-media.ts'
export { DEFAULT_UPLOAD_TYPES } from './media-types.ts'
export type { ReceivedUpload } from './received-upload.ts'
export type { FileToTransform, TransformedFile, TransformUpload } from './transform.ts'
export {
  BaseUploadHandler,
  DefaultUploadHandler,
  type FinalizeContext,
  type Scan,
  type ScannedUpload,
  type UploadContext,
  type UploadedFile,
  type UploadHandler,
} from './upload-handler.ts'
export {
  createUploads,
  type IncomingFile,
  type Uploads,
  type UploadsOptions,
} from './uploads.ts'
