import type { AlertStrings } from './en.ts'

/** The French texts. */
export const fr: AlertStrings = {
  subjectNewDevice: 'Nouvelle connexion à {app} : {device}',
  subjectNewCountry: 'Connexion à {app} depuis un nouveau pays : {country}',
  subjectCompromised: 'Votre connexion à {app} a peut-être été copiée',
  subjectMore: { one: '{subject} (et une autre)', other: '{subject} (et {count} autres)' },
  introNewDevice: 'Un appareil que nous ne connaissons pas s’est connecté à votre compte {app}.',
  introNewCountry:
    'Un appareil que nous ne connaissons pas s’est connecté à votre compte {app}. Pays : {country}. Aucun de vos appareils ne s’y trouvait jusqu’ici.',
  introTokenReused:
    'La connexion de cet appareil a été utilisée depuis deux endroits : quelqu’un en possède peut-être une copie. Nous avons déconnecté l’appareil.',
  introCredentialReused:
    'Quelqu’un s’est connecté à votre compte {app} avec une ancienne copie de ce qui permet de reconnaître cet appareil. Vous avez peut-être restauré une sauvegarde, ou quelqu’un d’autre a peut-être copié ces données.',
  labelDevice: 'Appareil',
  labelPlace: 'Lieu',
  labelTime: 'Date',
  previousCountries: 'Jusqu’ici, vos appareils se trouvaient ici : {countries}.',
  device: '{browser} sous {os}',
  unknownDevice: 'Appareil inconnu',
  unknownBrowser: 'Navigateur inconnu',
  unknownPlace: 'Inconnu',
  more: { one: 'Et une autre connexion :', other: 'Et {count} autres connexions :' },
  moreUnlisted: { one: 'et une autre', other: 'et {count} autres' },
  ifNotYou:
    'Si ce n’était pas vous, déconnectez tous les appareils, puis changez votre mot de passe.',
  ifYou: 'Si c’était vous, vous n’avez rien à faire.',
  wasNotMe: 'Ce n’était pas moi',
  yourDevices: 'Vos appareils',
  linksUntil:
    'Les liens sont valables jusqu’au {date}. Ils ouvrent une page qui demande confirmation.',
  whyThisMail: 'Vous recevez ce message parce qu’il concerne la sécurité de votre compte {app}.',
  pageTitle: 'Était-ce vous ?',
  pageQuestion: 'Quelqu’un s’est connecté à votre compte {app}.',
  pageNotMe:
    'Déconnecte tous vos appareils, y compris celui que vous utilisez. Changez ensuite votre mot de passe.',
  reportedTitle: 'Déconnexion effectuée',
  reported: { one: '{count} appareil déconnecté.', other: '{count} appareils déconnectés.' },
  reportedNext: 'Changez maintenant votre mot de passe : quiconque le connaît peut se reconnecter.',
  alreadyReported: 'Vous l’avez déjà signalé. Cette fois, rien n’a été modifié.',
  expiredTitle: 'Ce lien a expiré',
  expired:
    'Rien n’a été modifié. Connectez-vous à {app} pour voir vos appareils et déconnecter ceux que vous ne connaissez pas.',
  invalidTitle: 'Ce lien n’est pas valable',
  invalid:
    'Copiez le lien entier depuis le message. Si cela ne suffit pas, connectez-vous à {app} pour voir vos appareils.',
  failedTitle: 'Cela n’a pas fonctionné',
  failed: 'Revenez en arrière et réessayez dans une minute.',
}
