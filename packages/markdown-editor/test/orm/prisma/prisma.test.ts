import { ormSuite } from '../suite/orm-suite.ts'
import { describePrisma } from './describe-prisma.ts'

describePrisma(
  () => import('./open-prisma.ts'),
  (engine, { openFixture }) => {
    // Prisma has one connection to SQLite, so saves cannot run concurrently.
    ormSuite(() => openFixture(engine), { isConcurrent: engine.name !== 'sqlite' })
  },
  // Prisma prepares every statement. MariaDB does not support SAVEPOINT as a prepared statement.
  ['sqlite', 'postgres'],
)
