import type { DeletedUser, User } from '../devices/user.ts'
import type { AlertKind } from './alert-event.ts'
import type { AlertStrings } from './mail/alert-strings.ts'

/** A mail that is ready to be sent. `nodemailer` and most services take it as it is. */
export interface AlertMail {
  /** One bare address, as the option `to` gave it. */
  readonly to: string
  /** One line. */
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Marks the mail as automatic (RFC 3834), so that no out-of-office reply comes back. */
  readonly headers: Readonly<Record<string, string>>
  /** What it is about. */
  readonly kind: AlertKind
  /** Of the event that it leads with: the same at each attempt, for services that take a key against duplicates. */
  readonly eventId: string
  readonly userId: string
}

/** Somebody pressed "this wasn't me". */
export interface AlertReport {
  /** Only `{ id }` when `users.findById` no longer knows them. */
  readonly user: User | DeletedUser
  /** The device that the mail was about. */
  readonly deviceUid: string
  /** Of the event that the mail was about. */
  readonly eventId: string
  /** How many devices were revoked. */
  readonly revoked: number
}

/**
 * Mails to users about new devices, new countries and copied sign-ins. `appName`, `to` and `send` are needed; the links
 * need `publicOrigin`, or `origin`.
 */
export interface AlertOptions {
  /** What users call the application, for example `Harbour`. */
  readonly appName: string
  /** The address of a user, or null for no mail. A bare address: `ada@example.com`. */
  readonly to: (user: User) => string | null | undefined | Promise<string | null | undefined>
  /** Sends a mail. When it rejects, or takes longer than `sendTimeout`, it is called again later, up to a day. */
  readonly send: (mail: AlertMail) => unknown
  /** Seconds that writing and sending one mail may take, 1 to 300. @default 60 */
  readonly sendTimeout?: number
  /** Where the links lead. Never taken from a request. @default the option `publicOrigin` */
  readonly origin?: string | (() => string)
  /** The language: en, de, fr, or one of `strings`. @default 'en' */
  readonly locale?: string | ((user: User) => string)
  /** IANA name of the zone in which times are told. @default 'UTC' */
  readonly timeZone?: string | ((user: User) => string)
  /** Texts of your own, by locale; those that are left out are the built-in ones. */
  readonly strings?: Readonly<Record<string, Partial<AlertStrings>>>
  /** The page where users see their devices: a path or a URL, for a further link. */
  readonly devicesUrl?: string
  /** True: a mail also about the very first device of an account. @default false */
  readonly firstDevice?: boolean
  /** Most mails to one user within an hour; what comes beyond is told in one mail. @default 5 */
  readonly mailsPerHour?: number
  /** Seconds for which the links work. @default 604800 (7 days) */
  readonly linkLifetime?: number
  /** Seconds for which "this was me" holds. @default 7776000 (90 days) */
  readonly muteFor?: number
  /**
   * What "this wasn't me" revokes: all devices of the user, or only the one. A mail about several sign-ins, or about a
   * copied one, always means all. @default 'all'
   */
  readonly reportRevokes?: 'all' | 'device'
  /**
   * Hears of each "this wasn't me", after the devices were revoked: the place to require a new password. When it
   * rejects, the user is asked to press again.
   */
  readonly onReported?: (report: AlertReport) => unknown
  /** How often one address may open and answer links; null: no limit. @default '30/minute' */
  readonly rateLimit?: string | null
}
