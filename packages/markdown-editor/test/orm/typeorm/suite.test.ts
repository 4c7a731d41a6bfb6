import { describeDatabases } from '@quillgate/server/testing/suites'
import * as typeorm from 'typeorm'
import * as typeorm03 from 'typeorm03'
import { describe } from 'vitest'
import { ormSuite } from '../suite/orm-suite.ts'
import { openFixture, type TypeormLibrary } from './suite-fixture.ts'

const libraries: [string, TypeormLibrary][] = [
  ['TypeORM 1', typeorm],
  // For TypeScript, the types of this second package are unrelated to those of the first.
  ['TypeORM 0.3', typeorm03 as unknown as TypeormLibrary],
]

describe.each(libraries)('typeormCleanup with %s', (_, library) => {
  describeDatabases((engine) => {
    // TypeORM has one connection to SQLite, so concurrent saves would share one transaction.
    ormSuite(() => openFixture(engine, library), {
      isConcurrent: engine.name !== 'sqlite',
      refuses: ['bulk', 'upsert'],
    })
  })
})
