import { isUniqueViolation, type SqlExecutor } from '@quillgate/server/database'
import { isTransient } from '../../../../server/src/database/errors.ts'
import type { MediaReferences } from '../../../src/markdown-editor.ts'
import type { RecordKey, RecordTexts } from '../../../src/media/ledger/record-texts.ts'
import type { Connection, Isolation } from './connections.ts'
import type { Person } from './people.ts'
import type { World } from './world.ts'

export interface Transaction {
  readonly tx: SqlExecutor
  /** Writes the references of a saved record. For a deleted record, `texts` is `[]`. */
  set(record: RecordKey, texts: RecordTexts): Promise<void>
  /** The ids that the last save reported as missing. */
  missing(): readonly string[]
  /** Runs `work` in a savepoint, which is then kept or rolled back. */
  nested(isKept: boolean, work: () => Promise<void>): Promise<void>
}

export interface TransactionOptions {
  readonly who: Person | null
  readonly isolation: Isolation
  readonly end: 'commit' | 'rollback' | 'killed'
  readonly references: MediaReferences
}

const MOST_ATTEMPTS = 60

/** Runs a transaction. Repeats it if it fails because of a concurrent transaction. */
export async function transact(
  world: World,
  options: TransactionOptions,
  work: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const connection = await world.application.connect()
    try {
      return await attemptOnce(world, connection, options, work)
    } catch (error) {
      if (!(isTransient(error) || isUniqueViolation(error)) || attempt === MOST_ATTEMPTS)
        throw error
    } finally {
      await connection.release()
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 4 * attempt))
  }
}

async function attemptOnce(
  world: World,
  connection: Connection,
  { who, isolation, end, references }: TransactionOptions,
  work: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  const removed = new Set<string>()
  let missing: readonly string[] = []
  const by = { actor: who?.identity ?? { label: 'editorial job' } }
  const { tx } = connection
  await connection.begin(isolation)
  const set: Transaction['set'] = async (record, texts) => {
    const change = await references.set(record, texts, { tx, ...by })
    for (const id of change.removed) removed.add(id)
    for (const id of change.missing) world.facts.missing.add(id)
    missing = change.missing
  }
  let savepoints = 0
  const nested: Transaction['nested'] = async (isKept, nestedWork) => {
    const name = `s${savepoints++}`
    await connection.run(`SAVEPOINT ${name}`)
    await nestedWork()
    if (isKept) {
      await connection.run(`RELEASE SAVEPOINT ${name}`)
    } else {
      await connection.run(`ROLLBACK TO SAVEPOINT ${name}`)
    }
  }
  try {
    await work({ tx, set, missing: () => missing, nested })
    await connection.run(end === 'rollback' ? 'ROLLBACK' : 'COMMIT')
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => {})
    throw error
  }
  if (end === 'commit') await references.settle(removed, by)
  if (end === 'killed') for (const id of removed) world.facts.unsettled.add(id)
}
