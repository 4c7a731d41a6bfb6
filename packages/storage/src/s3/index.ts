export { s3 } from './s3.ts'
export { s3FromUrl } from './s3-from-url.ts'
