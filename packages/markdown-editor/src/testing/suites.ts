export {
  type OrmFixture,
  type OrmNote,
  type OrmPost,
  type OrmSaves,
  ormTables,
} from './orm-fixture.ts'
export { type OrmSuiteOptions, ormSuite } from './orm-suite.ts'
