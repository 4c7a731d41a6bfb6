/** The forms of a text that depends on a number, by category of `Intl.PluralRules`. */
export type PluralText = { readonly other: string } & {
  readonly [Category in Intl.LDMLPluralRule]?: string
}

/**
 * Every text of the mails and pages in one language. A text can use the placeholders of its English
 * text: `{app}`, `{device}`, `{country}`, `{countries}`, `{count}`, `{date}`, `{browser}`, `{os}`
 * or `{subject}`. The texts are plain text. HTML characters in them are escaped.
 */
export type AlertStrings = {
  readonly [Name in keyof typeof ENGLISH]: (typeof ENGLISH)[Name] extends string
    ? string
    : PluralText
}

const ENGLISH = {
  subjectNewDevice: 'New sign-in to {app}: {device}',
  subjectNewCountry: 'Sign-in to {app} from a new country: {country}',
  subjectCompromised: 'Somebody may have copied your sign-in to {app}',
  /** `{subject}` is one of the subjects above. `{count}` is the number of further sign-ins. */
  subjectMore: { one: '{subject} (and one more)', other: '{subject} (and {count} more)' },
  introNewDevice: 'A device that we have not seen before has signed in to your {app} account.',
  introNewCountry:
    'A device that we have not seen before has signed in to your {app} account from {country}. None of your other devices has been there.',
  /** Shown if a refresh token was used twice. */
  introTokenReused:
    'The sign-in of this device was used from two places, so somebody may have a copy of it. We have signed the device out.',
  /** Shown if an old device credential was used. */
  introCredentialReused:
    'Somebody signed in to your {app} account with an old copy of the data by which we recognize this device. Perhaps you restored a backup, or perhaps somebody else has copied this data.',
  labelDevice: 'Device',
  labelPlace: 'Place',
  labelTime: 'Time',
  /** `{countries}` is a list of the countries of the user's other devices. */
  previousCountries: 'Until now your devices were in: {countries}.',
  device: '{browser} on {os}',
  unknownDevice: 'Unknown device',
  /** Shown if the request names an unknown browser. */
  unknownBrowser: 'Unknown browser',
  unknownPlace: 'Unknown',
  /** The heading of a list of further sign-ins. */
  more: { one: 'And one more sign-in:', other: 'And {count} more sign-ins:' },
  /**
   * The last line of the list of further sign-ins. `{count}` is the number of sign-ins that the
   * list omits.
   */
  moreUnlisted: { one: 'and another one', other: 'and {count} others' },
  ifNotYou: 'If this was not you, sign all devices out, then change your password.',
  ifYou: 'If this was you, you need not do anything.',
  wasNotMe: 'This wasn’t me',
  yourDevices: 'Your devices',
  linksUntil: 'The links work until {date}. They open a page that asks before it changes anything.',
  whyThisMail: 'You get this mail because it is about the safety of your {app} account.',
  pageTitle: 'Was this you?',
  pageQuestion: 'Somebody signed in to your {app} account.',
  pageNotMe: 'Signs out all your devices, including this one. Change your password afterwards.',
  reportedTitle: 'Signed out',
  reported: { one: 'One device was signed out.', other: '{count} devices were signed out.' },
  reportedNext: 'Now change your password: whoever knows it can sign in again.',
  alreadyReported: 'You have reported this before. This time, nothing was changed.',
  expiredTitle: 'This link has expired',
  expired:
    'Nothing was changed. Sign in to {app} to see your devices, and sign out those that you do not know.',
  invalidTitle: 'This link is not valid',
  invalid:
    'Copy the whole link from the mail. If it still fails, sign in to {app} to see your devices.',
  failedTitle: 'That did not work',
  failed: 'Go back, and try again in a minute.',
}

/** The English texts. */
export const en: AlertStrings = ENGLISH
