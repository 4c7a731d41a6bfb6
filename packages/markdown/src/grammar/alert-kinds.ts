/** The English titles of alerts, by kind. A title replaces a marker such as `[!NOTE]`. */
export const englishTitles = {
  note: 'Note',
  tip: 'Tip',
  important: 'Important',
  warning: 'Warning',
  caution: 'Caution',
} as const

/** The kind of an alert: the name in its marker, in lower case. */
export type AlertKind = keyof typeof englishTitles

/** All kinds of alerts. */
export const alertKinds: readonly AlertKind[] = Object.keys(englishTitles) as AlertKind[]

/** Titles of alerts. If the title of a kind is missing, the English title is used. */
export type AlertTitles = Readonly<Partial<Record<AlertKind, string>>>
