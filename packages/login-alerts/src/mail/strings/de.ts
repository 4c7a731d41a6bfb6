import type { AlertStrings } from './en.ts'

/** The German texts. */
export const de: AlertStrings = {
  subjectNewDevice: 'Neue Anmeldung bei {app}: {device}',
  subjectNewCountry: 'Anmeldung bei {app} aus einem neuen Land: {country}',
  subjectCompromised: 'Ihre Anmeldung bei {app} wurde möglicherweise kopiert',
  subjectMore: { one: '{subject} (und eine weitere)', other: '{subject} (und {count} weitere)' },
  introNewDevice:
    'Ein Gerät, das wir noch nicht kennen, hat sich bei Ihrem Konto von {app} angemeldet.',
  introNewCountry:
    'Ein Gerät, das wir noch nicht kennen, hat sich bei Ihrem Konto von {app} angemeldet. Das Land: {country}. Keines Ihrer Geräte war bisher dort.',
  introTokenReused:
    'Die Anmeldung dieses Geräts wurde von zwei Orten aus benutzt; vielleicht hat jemand eine Kopie davon. Wir haben das Gerät abgemeldet.',
  introCredentialReused:
    'Jemand hat sich bei Ihrem Konto von {app} mit einer alten Kopie der Daten angemeldet, an denen wir dieses Gerät erkennen. Vielleicht haben Sie eine Sicherung wiederhergestellt, oder vielleicht hat jemand anderes diese Daten kopiert.',
  labelDevice: 'Gerät',
  labelPlace: 'Ort',
  labelTime: 'Zeit',
  previousCountries: 'Bisher waren Ihre Geräte hier: {countries}.',
  device: '{browser} unter {os}',
  unknownDevice: 'Unbekanntes Gerät',
  unknownBrowser: 'Unbekannter Browser',
  unknownPlace: 'Unbekannt',
  more: { one: 'Und eine weitere Anmeldung:', other: 'Und {count} weitere Anmeldungen:' },
  moreUnlisted: { one: 'und noch eine', other: 'und {count} andere' },
  ifNotYou:
    'Wenn Sie das nicht waren, melden Sie alle Geräte ab und ändern Sie danach Ihr Passwort.',
  ifYou: 'Wenn Sie es waren, müssen Sie nichts tun.',
  wasNotMe: 'Das war ich nicht',
  yourDevices: 'Ihre Geräte',
  linksUntil: 'Die Links gelten bis {date}. Sie öffnen eine Seite, die vor jeder Änderung fragt.',
  whyThisMail:
    'Sie bekommen diese Nachricht, weil sie die Sicherheit Ihres Kontos von {app} betrifft.',
  pageTitle: 'Waren Sie das?',
  pageQuestion: 'Jemand hat sich bei Ihrem Konto von {app} angemeldet.',
  pageNotMe:
    'Meldet alle Ihre Geräte ab, auch das, das Sie gerade benutzen. Ändern Sie danach Ihr Passwort.',
  reportedTitle: 'Abgemeldet',
  reported: { one: 'Ein Gerät wurde abgemeldet.', other: '{count} Geräte wurden abgemeldet.' },
  reportedNext: 'Ändern Sie jetzt Ihr Passwort: Wer es kennt, kann sich wieder anmelden.',
  alreadyReported: 'Sie haben das schon gemeldet. Diesmal wurde nichts verändert.',
  expiredTitle: 'Dieser Link ist abgelaufen',
  expired:
    'Es wurde nichts verändert. Melden Sie sich bei {app} an, sehen Sie Ihre Geräte durch und melden Sie ab, was Sie nicht kennen.',
  invalidTitle: 'Dieser Link ist nicht gültig',
  invalid:
    'Kopieren Sie den ganzen Link aus der Nachricht. Hilft das nicht, melden Sie sich bei {app} an und sehen Sie Ihre Geräte durch.',
  failedTitle: 'Das hat nicht geklappt',
  failed: 'Gehen Sie zurück und versuchen Sie es in einer Minute noch einmal.',
}
