import { createQuillgate } from '@quillgate/server'
import { createTrustedDevices } from '@quillgate/trusted-devices'
import { findUser, secret } from './application.ts'

export const gate = createQuillgate({ secret, database: 'sqlite:./data/app.sqlite' })
export const staff = createTrustedDevices(gate, {
  name: 'staff',
  basePath: '/staff/devices',
  users: { findById: findUser },
})
export const customers = createTrustedDevices(gate, {
  name: 'customers',
  basePath: '/devices',
  users: { findById: findUser },
})
