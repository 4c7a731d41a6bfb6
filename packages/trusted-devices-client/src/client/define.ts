// The script that pages load. Defines the element `<trusted-devices>`.
import { TrustedDevicesElement } from './trusted-devices-element.ts'

TrustedDevicesElement.define()
