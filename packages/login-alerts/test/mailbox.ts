import type { AlertMail } from '@quillgate/login-alerts'
import type { TestAlertOptions } from './house.ts'

/** Collects mails, and gives the options that send them here. */
export interface Mailbox {
  readonly mails: AlertMail[]
  /** The next so many mails fail. */
  failing: number
  /** Takes what came. */
  take(): AlertMail[]
  readonly options: TestAlertOptions
}

/** Where the links of the tests lead. */
export const ORIGIN = 'https://harbour.example'

/** An empty mailbox. */
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

/** The path of a link in a mail. @param which the words above it */
export function linkIn({ text }: AlertMail, which = 'This wasn’t me'): string {
  const url = new RegExp(`^${which}:\n(\\S+)$`, 'm').exec(text)?.[1]
  if (url === undefined) throw new Error(`No link "${which}" in:\n${text}`)
  return url.slice(ORIGIN.length)
}

/** The token of a link in a mail. */
export function tokenIn(mail: AlertMail): string {
  return linkIn(mail).split('/').at(-1) ?? ''
}
