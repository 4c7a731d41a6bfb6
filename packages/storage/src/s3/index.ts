export { s3 } from './s3.ts'
export { s3FromUrl } from './s3-from-url.ts'
export type { S3ClientLike, S3Credentials, S3Options } from './s3-options.ts'
