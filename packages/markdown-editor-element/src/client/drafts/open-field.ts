import type { Draft } from './draft.ts'
import { judge, type Opening, type Verdict } from './judge.ts'
import type { DraftSession, DraftStore } from './session.ts'

/** What the user is asked about when a field is opened. */
export interface Opened {
  /** Drafts to offer, the newest first; none that only repeats another. */
  readonly offers: readonly Draft[]
  /** The draft whose text the field shows already. */
  readonly present: Draft | null
}

/** Judges the drafts of a field that has been opened, and does what needs no question. */
export async function openField(
  store: DraftStore,
  session: DraftSession,
  drafts: readonly Draft[],
  opening: Opening,
): Promise<Opened> {
  const newest = drafts.toSorted((one, other) => other.time - one.time)
  const judged = newest.map((draft) => ({ draft, verdict: judge(draft, opening) }))
  const those = (verdict: Verdict): Draft[] =>
    judged.filter((each) => each.verdict === verdict).map(({ draft }) => draft)
  for (const { id } of those('drop')) await store.remove(id)
  const offers = those('offer').filter(
    ({ text }, index, list) => list.findIndex((each) => each.text === text) === index,
  )
  const [present, ...copies] = those('continue')
  if (present === undefined) return { offers, present: null }
  try {
    await session.take(present, opening.shown, present.base)
    for (const { id } of copies) await store.remove(id)
  } catch {
    // They could not be kept under another name, and stay as they are.
  }
  return { offers, present }
}
