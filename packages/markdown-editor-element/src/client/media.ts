// What uploads and the finalize before a submit need beyond the first load: one file, so that a page that could load it
// can send its form too.
export { prepareFields } from './submit/prepare-fields.ts'
export { UploadQueue } from './uploads/upload-queue.ts'
