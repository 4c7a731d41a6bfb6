export { type ClientAssets, createClientAssets } from './client-assets.ts'
export type { EditorUser, FinalizeResult, Requester, RouteDependencies } from './dependencies.ts'
export { createFetchHandler } from './routes.ts'
