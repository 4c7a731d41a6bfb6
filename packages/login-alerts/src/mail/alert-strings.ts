/**
 * A text that depends on a number; `other` is needed, the rest are categories of
 * `Intl.PluralRules`.
 */
export interface PluralText {
  readonly one?: string
  readonly two?: string
  readonly few?: string
  readonly many?: string
  readonly zero?: string
  readonly other: string
}

/**
 * Every text of mails and their pages, in one language. `{app}`, `{device}`, `{country}`,
 * `{countries}`, `{count}`, `{date}`, `{browser}`, `{os}` and `{subject}` are replaced by values, if
 * the English text has them. The texts are plain text, which HTML escapes.
 */
export interface AlertStrings {
  readonly subjectNewDevice: string
  readonly subjectNewCountry: string
  readonly subjectCompromised: string
  /** Around another subject, with the `{count}` of further sign-ins. */
  readonly subjectMore: PluralText
  readonly introNewDevice: string
  readonly introNewCountry: string
  /** A refresh token was used twice. */
  readonly introTokenReused: string
  /** An old device credential came. */
  readonly introCredentialReused: string
  readonly labelDevice: string
  readonly labelPlace: string
  readonly labelTime: string
  /** Countries of the other devices, with `{countries}`. */
  readonly previousCountries: string
  readonly device: string
  readonly unknownDevice: string
  /** For what a request called itself, where that is no browser that we know. */
  readonly unknownBrowser: string
  readonly unknownPlace: string
  /** Above a list of `{count}` further sign-ins. */
  readonly more: PluralText
  /** Below it, with the `{count}` of those left out. */
  readonly moreUnlisted: PluralText
  readonly ifNotYou: string
  readonly ifYou: string
  /** The link and the button. */
  readonly wasNotMe: string
  readonly wasMe: string
  readonly yourDevices: string
  readonly linksUntil: string
  readonly whyThisMail: string
  readonly pageTitle: string
  readonly pageQuestion: string
  readonly pageNotMe: string
  readonly pageMe: string
  /** As above, for a device with an unknown country. */
  readonly pageMeUnknownPlace: string
  readonly reportedTitle: string
  readonly reported: PluralText
  readonly reportedNext: string
  readonly alreadyReported: string
  readonly mutedTitle: string
  readonly muted: string
  /** As above, for a device with an unknown country. */
  readonly mutedUnknownPlace: string
  readonly expiredTitle: string
  readonly expired: string
  readonly invalidTitle: string
  readonly invalid: string
  readonly busyTitle: string
  readonly busy: string
  readonly failedTitle: string
  readonly failed: string
}
