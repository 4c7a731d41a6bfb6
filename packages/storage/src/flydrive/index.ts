export type { FlydriveDisk } from './disk.ts'
export { flydrive } from './flydrive.ts'
