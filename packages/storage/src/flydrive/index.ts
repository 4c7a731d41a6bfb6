export { flydrive } from './flydrive.ts'
