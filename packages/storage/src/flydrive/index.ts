export type { FlydriveDisk } from './disk.ts'
export { type FlydriveOptions, flydrive } from './flydrive.ts'
