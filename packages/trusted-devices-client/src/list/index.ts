export type { ListedDevice } from './list-view.ts'
export {
  type DeviceListOptions,
  type DeviceListProblem,
  renderDeviceList,
} from './render-device-list.ts'
export type { DeviceListStrings } from './strings.ts'
