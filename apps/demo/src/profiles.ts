import { isUniqueViolation } from '@quillgate/server/database'
import { type Account, allAccounts, findAccount } from './accounts.ts'
import type { DemoDatabase } from './database.ts'

/** Returns the account with the name that its user has chosen. */
export async function findNamedAccount(
  database: DemoDatabase,
  id: string,
): Promise<Account | null> {
  const account = findAccount(id)
  if (!account) return null
  const { kysely } = database
  const profile = await kysely
    .selectFrom('demo_profile')
    .select('name')
    .where('user_id', '=', id)
    .executeTakeFirst()
  return { ...account, ...profile }
}

/** Returns the names of all users by id. */
export async function authorNames(database: DemoDatabase): Promise<ReadonlyMap<string, string>> {
  const profiles = await database.kysely.selectFrom('demo_profile').selectAll().execute()
  const chosen = profiles.map(({ user_id, name }) => [user_id, name] as const)
  return new Map([...allAccounts().map(({ id, name }) => [id, name] as const), ...chosen])
}

export async function saveName(
  database: DemoDatabase,
  userId: string,
  name: string,
): Promise<void> {
  const update = () =>
    database.kysely
      .updateTable('demo_profile')
      .set({ name })
      .where('user_id', '=', userId)
      .executeTakeFirst()
  if ((await update()).numUpdatedRows > 0n) return
  try {
    await database.kysely.insertInto('demo_profile').values({ user_id: userId, name }).execute()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    await update() // Another request has inserted the row.
  }
}
