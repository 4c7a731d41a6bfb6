/** What readers see in place of the marker of an alert, by its kind. */
export const englishTitles = {
  note: 'Note',
  tip: 'Tip',
  important: 'Important',
  warning: 'Warning',
  caution: 'Caution',
} as const

/** The kinds of alerts: what their markers say, in lower case. */
export type AlertKind = keyof typeof englishTitles

/** All kinds of alerts. */
export const alertKinds: readonly AlertKind[] = Object.keys(englishTitles) as AlertKind[]

/** Titles of alerts in place of the English ones; a kind that is left out keeps its title. */
export type AlertTitles = Readonly<Partial<Record<AlertKind, string>>>
