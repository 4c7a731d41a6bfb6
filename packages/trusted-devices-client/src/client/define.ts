// The script for pages. It defines `<trusted-devices>`.
import { TrustedDevicesElement } from './trusted-devices-element.ts'

TrustedDevicesElement.define()
