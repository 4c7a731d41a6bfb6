// Creates mails about sign-ins. The demo does not send the mails. It stores them and prints them to
// the console.
import type { LoginAlertsOptions } from '@quillgate/login-alerts'
import { findAccount } from './accounts.ts'
import { database, environment } from './foundation.ts'
import { keepMail } from './mailbox.ts'

let origin = `http://localhost:${environment.port}`

/** With port 0, the origin of the links is known only when the server listens. */
export function setAlertOrigin(value: string): void {
  origin = value
}

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
