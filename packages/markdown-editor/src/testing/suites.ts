export {
  type OrmFixture,
  type OrmNote,
  type OrmPost,
  type OrmSaves,
  ormTables,
} from './orm-fixture.ts'
export { type OrmSuiteOptions, ormSuite } from './orm-suite.ts'
export { type OpenStorage, type StorageSuiteOptions, storageSuite } from './storage-suite.ts'
export { INVALID_KEYS } from './storage-suite-keys.ts'
