// Mails about sign-ins. The demo "sends" them into a page and onto the console.
import type { LoginAlertsOptions } from '@quillgate/login-alerts'
import { findAccount } from './accounts.ts'
import { database, environment } from './foundation.ts'
import { keepMail } from './mailbox.ts'

let origin = `http://localhost:${environment.port}`

/** Says where the server listens, which with port 0 is known late: the links of mails lead there. */
export function setAlertOrigin(value: string): void {
  origin = value
}

/** How to write and send mails. */
export const alertOptions: LoginAlertsOptions = {
  appName: 'Quillgate demo',
  origin: () => origin,
  devicesUrl: '/devices',
  to: ({ id }) => {
    const account = findAccount(String(id))
    return account && `${account.username}@quillgate.example`
  },
  send: (mail) => keepMail(database, mail),
}
