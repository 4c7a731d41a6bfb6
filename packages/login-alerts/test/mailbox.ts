import type { AlertMail } from '@quillgate/login-alerts'
import type { TestAlertOptions } from './house.ts'

/** Collects mails. `options` are options of login alerts whose `send` adds each mail to `mails`. */
export interface Mailbox {
  readonly mails: AlertMail[]
  /** The number of upcoming mails whose sending fails. */
  failing: number
  take(): AlertMail[]
  readonly options: TestAlertOptions
}

export const ORIGIN = 'https://harbour.example'

export function createMailbox(more: Partial<TestAlertOptions> = {}): Mailbox {
  const mails: AlertMail[] = []
  const box: Mailbox = {
    mails,
    failing: 0,
    take: () => mails.splice(0),
    options: {
      appName: 'Harbour',
      origin: ORIGIN,
      to: (user) => `user-${user.id}@example.com`,
      send: async (mail) => {
        await Promise.resolve()
        if (box.failing > 0) {
          box.failing--
          throw new Error('the mail server is away')
        }
        mails.push(mail)
      },
      ...more,
    },
  }
  return box
}

/** @param which the label before the link */
export function linkIn({ text }: AlertMail, which = 'This wasn’t me'): string {
  const url = new RegExp(`^${which}:\n(\\S+)$`, 'm').exec(text)?.[1]
  if (url === undefined) throw new Error(`No link "${which}" in:\n${text}`)
  return url.slice(ORIGIN.length)
}

export function tokenIn(mail: AlertMail): string {
  return linkIn(mail).split('/').at(-1) ?? ''
}
