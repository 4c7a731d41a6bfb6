export { type AdapterServer, ELSEWHERE, type FrameworkAdapter, type ServeOptions } from './framework-adapter.ts'
export { frameworkAdapterSuite } from './framework-adapter-suite.ts'
