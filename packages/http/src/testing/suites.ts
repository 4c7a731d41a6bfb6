export {
  type AdapterServer,
  ELSEWHERE,
  type FrameworkAdapter,
  type ServeOptions,
} from './framework-adapter.ts'
export { frameworkAdapterSuite } from './framework-adapter-suite.ts'
export { type RateStoreFixture, rateStoreSuite } from './rate-store-suite.ts'
