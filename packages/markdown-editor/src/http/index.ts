export { type ClientAssets, createClientAssets } from './client-assets.ts'
export type { EditorUser, FinalizeResult, Requester, RouteCsrf, RouteDependencies } from './dependencies.ts'
export { createFetchHandler, createRoutes } from './routes.ts'
