import { describeDatabases } from '@quillgate/database/testing/suites'
import { ormSuite } from '@quillgate/markdown-editor/testing/suites'
import { describe } from 'vitest'
import { openFixture } from './suite-fixture.ts'

describe('typeormCleanup', () => {
  describeDatabases((engine) => {
    // TypeORM has one connection to SQLite: what is done at once shares one transaction.
    ormSuite(() => openFixture(engine), { isConcurrent: engine.name !== 'sqlite' })
  })
})
