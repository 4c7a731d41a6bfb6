// The script that pages load.
import { TrustedDevicesElement } from './trusted-devices-element.ts'

TrustedDevicesElement.define()
