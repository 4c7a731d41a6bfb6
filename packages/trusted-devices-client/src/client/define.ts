// The script that pages load: it defines `<trusted-devices>`.
import { TrustedDevicesElement } from './trusted-devices-element.ts'

TrustedDevicesElement.define()
