import { part, type SqlFragment } from '@quillgate/server/database'
import type { RegistryParts } from '../registry-parts.ts'
import type { Change } from './change.ts'

/**
 * Ends the trust in devices of a user that are gone: whoever is thrown out may have signed out first, to come back as a
 * known browser. Their countries are no known ones any more either.
 *
 * @param which of them; null: all, and every country that was noted
 */
export async function distrustPast(
  { past, countries }: Pick<RegistryParts, 'past' | 'countries'>,
  { tx }: Pick<Change, 'tx'>,
  userId: string,
  which: SqlFragment | null,
): Promise<void> {
  if (which === null) await countries.forgetUser(tx, userId)
  else await countries.forgetThese(tx, userId, await past.countriesOf(tx, userId, which))
  await past.distrust(tx, userId, which ?? part`1 = 1`)
}
