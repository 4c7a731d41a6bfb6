import { ormSuite } from '@quillgate/markdown-editor/testing/suites'
import { describePrisma } from './describe-prisma.ts'

describePrisma(
  () => import('./open-prisma.ts'),
  (engine, { openFixture }) => {
    ormSuite(() => openFixture(engine))
  },
)
