import { scryptSync, timingSafeEqual } from 'node:crypto'

export interface Account {
  readonly id: string
  readonly username: string
  readonly name: string
}

interface StoredAccount extends Account {
  readonly salt: string
  readonly hash: Buffer
}

/** The password of both users, shown on the sign-in page. */
export const DEMO_PASSWORD = 'quillgate'

const hashOf = (password: string, salt: string): Buffer =>
  scryptSync(password.slice(0, 1024), salt, 32)

const accounts: readonly StoredAccount[] = [
  { id: '1', username: 'ada', name: 'Ada Lovelace', salt: 'demo-ada' },
  { id: '2', username: 'grace', name: 'Grace Hopper', salt: 'demo-grace' },
].map((account) => ({ ...account, hash: hashOf(DEMO_PASSWORD, account.salt) }))

const toAccount = ({ id, username, name }: StoredAccount): Account => ({ id, username, name })

export function findAccount(id: string): Account | null {
  const found = accounts.find((account) => account.id === id)
  return found ? toAccount(found) : null
}

export const allAccounts = (): Account[] => accounts.map(toAccount)

/** An unknown name takes as long to check as a wrong password. */
export function verifyPassword(username: string, password: string): Account | null {
  const found = accounts.find((account) => account.username === username)
  const expected = found?.hash ?? Buffer.alloc(32)
  const right = timingSafeEqual(hashOf(password, found?.salt ?? 'nobody'), expected)
  return found && right ? toAccount(found) : null
}
