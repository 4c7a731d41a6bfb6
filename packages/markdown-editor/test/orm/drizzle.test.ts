import { describeDatabases, sqlExecutorSuite } from '@quillgate/database/testing/suites'
import { ormSuite } from '@quillgate/markdown-editor/testing/suites'
import { describe } from 'vitest'
import { trackReferences } from '../../src/media/track-references.ts'
import { createDrizzleExecutor } from '../../src/orm/drizzle-executor.ts'
import { createDrizzleTransactions } from '../../src/orm/drizzle-transactions.ts'
import { openDrizzle, openFixture } from './drizzle-fixture.ts'

describe('drizzleCleanup', () => {
  describeDatabases((engine) => {
    ormSuite(() => openFixture(engine))

    sqlExecutorSuite(async () => {
      const { db, close } = await openDrizzle(engine)
      const noReferences = { set: async () => ({ added: [], removed: [], missing: [] }), settle: async () => [] }
      const { run } = createDrizzleTransactions(db, engine.name, trackReferences(noReferences))
      return { transaction: (work) => run((scope) => work(createDrizzleExecutor(scope.db, engine.name))), close }
    })
  })
})
