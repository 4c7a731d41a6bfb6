export type { EditorUser, FinalizeResult, Requester, RouteDependencies } from './dependencies.ts'
export { createFetchHandler } from './routes.ts'
