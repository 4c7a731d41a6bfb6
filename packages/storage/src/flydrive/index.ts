export { type FlydriveDisk, flydrive } from './flydrive.ts'
