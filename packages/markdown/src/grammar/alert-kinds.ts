/** The English titles of alerts, by kind. They replace the markers, such as `[!NOTE]`. */
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

/** Titles that replace the English ones. A kind that is left out keeps its English title. */
export type AlertTitles = Readonly<Partial<Record<AlertKind, string>>>
