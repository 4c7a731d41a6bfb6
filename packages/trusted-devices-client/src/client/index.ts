export type { DeviceListStrings } from '../list/strings.ts'
export type { DeviceFetch } from './requests.ts'
export { TrustedDevicesElement } from './trusted-devices-element.ts'
