export type { EditorUser, FinalizeResult, Requester, RouteDependencies } from './dependencies.ts'
export { createFetchHandler, type EditorEndpoints } from './routes.ts'
