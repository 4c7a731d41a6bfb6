import { describeDatabases } from '@quillgate/database/testing/suites'
import { ormSuite } from '@quillgate/markdown-editor/testing/suites'
import { describe } from 'vitest'
import { openFixture } from './kysely-fixture.ts'

describe('kyselyCleanup', () => {
  describeDatabases((engine) => {
    ormSuite(() => openFixture(engine))
  })
})
