import type { AlertStrings } from '../alert-strings.ts'

/** English. */
export const en: AlertStrings = {
  subjectNewDevice: 'New sign-in to {app}: {device}',
  subjectNewCountry: 'Sign-in to {app} from a new country: {country}',
  subjectCompromised: 'Somebody may have copied your sign-in to {app}',
  subjectMore: { one: '{subject} (and one more)', other: '{subject} (and {count} more)' },
  introNewDevice: 'A device that we have not seen before has signed in to your {app} account.',
  introNewCountry:
    'A device that we have not seen before has signed in to your {app} account from {country}. None of your other devices has been there.',
  introTokenReused:
    'The sign-in of this device was used from two places, so somebody may have a copy of it. We have signed the device out.',
  introCredentialReused:
    'Somebody signed in to your {app} account with an old copy of what this device was recognised by. That can be a restored backup, or somebody else.',
  labelDevice: 'Device',
  labelPlace: 'Place',
  labelTime: 'Time',
  previousCountries: 'Until now your devices were in: {countries}.',
  device: '{browser} on {os}',
  unknownDevice: 'Unknown device',
  unknownBrowser: 'Unknown browser',
  unknownPlace: 'Unknown',
  more: { one: 'And one more sign-in:', other: 'And {count} more sign-ins:' },
  moreUnlisted: { one: 'and another one', other: 'and {count} others' },
  ifNotYou: 'If this was not you, sign all devices out, then change your password.',
  ifYou: 'If this was you, you need not do anything.',
  wasNotMe: 'This wasn’t me',
  wasMe: 'This was me',
  yourDevices: 'Your devices',
  linksUntil: 'The links work until {date}. They open a page that asks first.',
  whyThisMail: 'You get this mail because it is about the safety of your {app} account.',
  pageTitle: 'Was this you?',
  pageQuestion: 'Somebody signed in to your {app} account.',
  pageNotMe:
    'Signs all your devices out, the one that you are using too. Change your password afterwards.',
  pageMe: 'We will not write again about such a device in this country until {date}.',
  pageMeUnknownPlace:
    'We will not write again about such a device at an unknown place until {date}.',
  reportedTitle: 'Signed out',
  reported: { one: 'One device was signed out.', other: '{count} devices were signed out.' },
  reportedNext: 'Now change your password: whoever knows it can sign in again.',
  alreadyReported: 'You have reported this before. Nothing was changed just now.',
  mutedTitle: 'Thank you',
  muted: 'We will not write about such a device in this country until {date}.',
  mutedUnknownPlace: 'We will not write about such a device at an unknown place until {date}.',
  expiredTitle: 'This link has expired',
  expired:
    'Nothing was changed. Sign in to {app} to see your devices, and sign out those that you do not know.',
  invalidTitle: 'This link is not valid',
  invalid:
    'Copy the whole link from the mail. If it still fails, sign in to {app} to see your devices.',
  busyTitle: 'Too many requests',
  busy: 'Wait a minute, then load this page again.',
  failedTitle: 'That did not work',
  failed: 'Something went wrong on our side. Go back and try again in a moment.',
}
